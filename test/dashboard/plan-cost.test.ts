import { expect, it } from 'vitest';
import { createModelPrices } from '../../src/cli/commands/manifests/model-prices.ts';
import { describePlan } from '../../src/cli/commands/manifests/plan-document.ts';
import { planManifest } from '../../src/manifest/plan-manifest.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import { planCostOf } from '../../web/pages/manifests/plan-cost.ts';
import { TEMPLATES } from '../../web/pages/manifests/templates.ts';

const SIMULATED = { provider: 'simulator', inputUsd: 3, cachedInputUsd: 0.3, outputUsd: 15 };
const prices = new Map([['sim-fast', { model: 'sim-fast', ...SIMULATED }]]);
const EMPTY = { bytesOf: () => 0, rewrittenBytes: () => 0 };

function planOf(text: string) {
  const parsed = parseManifest(text);
  if (parsed.kind === 'invalid') throw new Error(parsed.problems[0]!.message);
  const order = planManifest(parsed.manifest);
  if (order.kind === 'cyclic') throw new Error('cyclic');
  return { manifest: parsed.manifest, order };
}

it.each(TEMPLATES.map(({ id, text }) => [id, text]))(
  'the editor estimates %s as the command does in an empty project',
  (_id, text) => {
    const { manifest, order } = planOf(text);
    const choices = { model: undefined, defaultModel: 'sim-fast', concurrency: 1 };
    const deps = { files: EMPTY, prices: createModelPrices(loadPrices(undefined), undefined) };
    const input = { file: 'm.yaml', manifest, order, warnings: [] };
    const { totals } = describePlan(input, choices, deps);
    const cost = planCostOf(manifest, order.waves, { fallback: 'sim-fast', prices });
    expect(cost).toMatchObject({
      calls: totals.toRun,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      unpricedCalls: 0,
    });
    expect(cost.knownUsd).toBeCloseTo(totals.costUsd!, 10);
  },
);

it('what is done costs nothing, and what has no known price is counted apart', () => {
  const { manifest, order } = planOf(`feature: F
streams:
  a: { name: A, owns: [a.ts], status: complete }
  b: { name: B, owns: [b.ts], model: sim-fast }
  c: { name: C, owns: [c.ts], model: mystery }
  d: { name: D, owns: [d.ts] }
`);
  const cost = planCostOf(manifest, order.waves, { fallback: '', prices });
  expect(cost).toMatchObject({ calls: 3, skipped: 1, unpricedCalls: 2 });
  expect(cost.knownUsd).toBeGreaterThan(0);
});
