// A run of what did not change since the last one: right after it, and after everything that it wrote was
// put back (as version control does), so that all has to be done again, but nothing has to be asked.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, runCommandIn, startCommandMs, writeFiles } from '../harness/run-command.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';

const STREAMS = 100;
const ROUNDS = 3;
const FLAGS = ['--concurrency', '32'];

const written = (stream: number) => `f${stream}.txt`;

function project(): Record<string, string> {
  const streams = Array.from({ length: STREAMS }, (_, i) => {
    const dep = i < 10 ? '[]' : `[s${i - 10}]`;
    return `  s${i}:\n    name: Stream ${i}\n    deps: ${dep}\n    owns: [${written(i)}]\n    plan: "[[sim:delay 1000]] part ${i}"\n`;
  });
  const head = `feature: again\nmodel: sim-instant\nmaxTokens: 500\nstreams:\n`;
  return { 'millrace.yaml': head + streams.join('') };
}

async function jobsOf({ db }: Stage): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*) as count from jobs');
  return rows[0]!.count;
}

export async function measureRunAgain(stage: Stage): Promise<Figure[]> {
  const files = project();
  return inProject(files, async (root) => {
    const first = await runCommandIn(root, stage, FLAGS);
    const asked = await jobsOf(stage);
    const starts: number[] = [];
    const atOnce: number[] = [];
    const restored: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      starts.push(await startCommandMs(root));
      atOnce.push((await runCommandIn(root, stage, FLAGS)).ms);
      for (let stream = 0; stream < STREAMS; stream++) rmSync(join(root, written(stream)));
      writeFiles(root, files);
      restored.push((await runCommandIn(root, stage, FLAGS)).ms);
    }
    const over = (times: readonly number[]) => (median(times) - median(starts)) / 1000;
    const beside = { what: 's for the first run', value: first.ms / 1000 };
    return [
      {
        id: 'P20',
        what: `a second run of ${STREAMS} streams, over the start of the command`,
        value: over(atOnce),
        unit: 's',
        beside,
        goal: { atMost: 1 },
      },
      {
        id: 'P20',
        what: 'the same after all that was written was put back',
        value: over(restored),
        unit: 's',
        beside,
      },
      {
        id: 'P20',
        what: `calls of these ${ROUNDS * 2} runs`,
        value: (await jobsOf(stage)) - asked,
        unit: 'calls',
        beside: { what: 'calls of the first run', value: asked },
        goal: { atMost: 0 },
      },
    ];
  });
}
