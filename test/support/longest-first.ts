// The files that take longest start first: begun late, one of them would run alone at the end while the
// other workers have nothing left to do. A new checkout remembers no durations, and the size of a file,
// which the runner goes by then, says little about waiting for processes and time limits.
import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { SLOW_FILES } from './slow-files.ts';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = SLOW_FILES.indexOf(relative(project.config.root, moduleId));
      return at === -1 ? SLOW_FILES.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
