// What a run of many streams adds to the time of its model calls, and the memory it takes.
import { MillraceClient } from '../../src/client/index.ts';
import { now } from '../harness/clock.ts';
import { runCommand } from '../harness/run-command.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const STREAMS = 1_000;
const LAYERS = 10;
const PLACES = 64;
/** How long the simulated model takes over each answer. */
const MODEL_MS = 2_000;

/** Every stream waits for one of the layer before, so that there is always something to start. */
function manifest(): string {
  const width = STREAMS / LAYERS;
  const streams = Array.from({ length: STREAMS }, (_, i) => {
    const layer = Math.floor(i / width);
    const dep = layer === 0 ? '[]' : `[s${i - width}]`;
    return `  s${i}:\n    name: Stream ${i}\n    deps: ${dep}\n    owns: [out/f${i}.txt]\n    plan: "[[sim:delay ${MODEL_MS}]]"\n`;
  });
  return `feature: many\nmodel: sim-instant\nmaxTokens: 500\nstreams:\n${streams.join('')}`;
}

/** The same calls without anything around them: as many at a time, one after the other. */
async function bareCallsMs(stage: Stage, count: number, modelMs: number): Promise<number> {
  const client = new MillraceClient(stage.url, stage.key);
  const startedAt = now();
  let next = 0;
  const one = async () => {
    while (next < count) {
      const streamId = `bare-${next++}`;
      const prompt = `[[sim:delay ${modelMs}]]\nowns: out/${streamId}.txt`;
      const job = { streamId, prompt, model: 'sim-instant', maxTokens: 500, runId: 'bare' };
      const { jobId } = await client.execute(job);
      await client.getJob(jobId, { waitSeconds: 25 });
    }
  };
  await Promise.all(Array.from({ length: PLACES }, one));
  return now() - startedAt;
}

export async function measureRun(stage: Stage): Promise<Figure[]> {
  // A server that has just started is slower, and both are to meet the same one.
  await bareCallsMs(stage, STREAMS, 0);
  const flags = ['--concurrency', String(PLACES)];
  const { ms, peakMiB } = await runCommand(stage, { 'millrace.yaml': manifest() }, flags);
  const bare = await bareCallsMs(stage, STREAMS, MODEL_MS);
  return [
    {
      id: 'run',
      what: `a run of ${STREAMS} streams in ${LAYERS} layers, ${PLACES} at a time`,
      value: ms / 1000,
      unit: 's',
      beside: { what: 's for the calls alone', value: bare / 1000 },
      goal: { ratioAtMost: 1.05 },
    },
    {
      id: 'run',
      what: 'memory of the command',
      value: peakMiB,
      unit: 'MiB',
      goal: { atMost: 300 },
    },
  ];
}
