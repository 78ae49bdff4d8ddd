// What it brings that the first stream of a wave fills the prompt cache before the others start.
import { runCommand } from '../harness/run-command.ts';
import type { Stage } from '../harness/stage.ts';
import type { Figure } from '../report.ts';

const STREAMS = 32;
/** What all of them are shown: about 25,000 tokens. */
const SHARED_LINES = 2_000;

/** Caches are kept by model: each run has one of its own. */
function project(model: string): Record<string, string> {
  const streams = Array.from(
    { length: STREAMS },
    (_, i) =>
      `  s${i}:\n    name: Stream ${i}\n    owns: [f${i}.txt]\n    reads: [shared.md]\n    plan: "[[sim:delay 3000]] part ${i}"\n`,
  );
  const shared = Array.from(
    { length: SHARED_LINES },
    (_, i) => `Rule ${i}: what every part of this project has to hold to, number ${i * 7}.\n`,
  );
  const head = `feature: warm\nmodel: ${model}\nmaxTokens: 500\nstreams:\n`;
  return { 'millrace.yaml': head + streams.join(''), 'shared.md': shared.join('') };
}

export async function measureWarm(stage: Stage): Promise<Figure[]> {
  const flags = ['--concurrency', String(STREAMS)];
  const warm = await runCommand(stage, project('sim-warmed'), flags);
  const cold = await runCommand(stage, project('sim-cold'), [...flags, '--no-warm']);
  const share = ({ totals }: typeof warm) =>
    (100 * totals.tokens.cachedInput) / totals.tokens.input;
  return [
    {
      id: 'warm',
      what: `cost of ${STREAMS} streams with much in common`,
      value: warm.totals.costUsd ?? Number.NaN,
      unit: '$ (simulated)',
      beside: { what: 'without one that goes ahead', value: cold.totals.costUsd ?? Number.NaN },
    },
    {
      id: 'warm',
      what: 'input that came from the cache',
      value: share(warm),
      unit: '%',
      beside: { what: 'without', value: share(cold) },
    },
    {
      id: 'warm',
      what: 'the whole run',
      value: warm.ms,
      unit: 'ms',
      beside: { what: 'without', value: cold.ms },
    },
  ];
}
