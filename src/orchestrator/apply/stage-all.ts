// Several artifacts, each on top of those before it, with nothing written.
import type { Operation } from '../../contract/artifact.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from './file-change.ts';
import { combinedChanges } from './record.ts';
import { stageArtifact } from './stage.ts';

export interface NamedArtifact {
  stream: string;
  operations: readonly Operation[];
  owns: readonly string[];
  isExact?: boolean;
}

export interface StagedAll {
  /** What all of them come to. */
  changes: FileChange[];
  /** Those that cannot be applied as things are; the others are staged without them. */
  rejected: { stream: string; problems: ApplyProblem[] }[];
}

export async function stageAll(
  artifacts: readonly NamedArtifact[],
  { root, protectedPaths }: { root: string; protectedPaths: readonly string[] },
): Promise<StagedAll> {
  const earlier = new Map<string, FileChange>();
  const lists: FileChange[][] = [];
  const rejected: StagedAll['rejected'] = [];
  for (const { stream, ...artifact } of artifacts) {
    const staged = await stageArtifact({ ...artifact, root, protectedPaths, earlier });
    if (staged.kind === 'rejected') {
      rejected.push({ stream, problems: staged.problems });
      continue;
    }
    lists.push(staged.changes);
    for (const change of staged.changes) earlier.set(change.path, change);
  }
  const changes = combinedChanges(lists).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { changes, rejected };
}
