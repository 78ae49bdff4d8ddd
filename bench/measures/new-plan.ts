// What `millrace new` does before it asks a model: the map of a project with thousands of files, and the facts for the rules.
import { surveyProject } from '../../src/planner/survey.ts';
import { scanProject } from '../../src/project/scan-project.ts';
import { createSnapshots } from '../../src/project/snapshots.ts';
import { cpuMs } from '../harness/clock.ts';
import { tempFolder } from '../harness/temp-folder.ts';
import type { Figure } from '../report.ts';
import { makeProject } from './context.ts';

const TASK =
  'Round the sums of packages/p7/src/part-7/module-7-3.ts, and say so in the modules of part-9';

export async function measureNewPlan(): Promise<Figure[]> {
  const { path: root, remove } = tempFolder('new-plan');
  try {
    makeProject(root);
    const snapshots = createSnapshots(root);
    async function survey() {
      const before = cpuMs();
      const scan = await scanProject(root, process.env);
      const surveyed = await surveyProject({
        root,
        task: TASK,
        scan,
        snapshots,
        model: undefined,
        instructions: true,
        protectedPaths: [],
      });
      const { map } = await surveyed.request();
      return { cpuMs: cpuMs() - before, tokens: map.tokens };
    }
    const cold = await survey();
    const warm = await survey();
    return [
      {
        id: 'P23',
        what: 'map of 5,000 sources, the first time',
        value: cold.cpuMs,
        unit: 'ms CPU',
        goal: { atMost: 3000 },
      },
      {
        id: 'P23',
        what: 'map of 5,000 sources, again',
        value: warm.cpuMs,
        unit: 'ms CPU',
        goal: { atMost: 500 },
      },
      {
        id: 'P23',
        what: 'tokens of that map',
        value: Math.max(cold.tokens, warm.tokens),
        unit: 'tokens',
        goal: { atMost: 30_000 },
      },
    ];
  } finally {
    remove();
  }
}
