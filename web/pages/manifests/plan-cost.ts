// What a plan may take, as `millrace plan` tells it of a project in which none of its files is there yet.
import { createWritten } from '../../../src/domain/run/plan-written.ts';
import { estimateStream } from '../../../src/domain/run/stream-estimate.ts';
import { ladderOf } from '../../../src/manifest/ladder.ts';
import { fixTargetOf, stateOf } from '../../../src/manifest/model.ts';
import type { Manifest } from '../../../src/manifest/model.ts';
import { costAt } from '../../api/token-cost.ts';
import type { Prices } from '../../api/token-cost.ts';

export interface PlanCost {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Of the calls whose price is known. */
  knownUsd: number;
  unpricedCalls: number;
  /** Streams that are done already. */
  skipped: number;
}

type Stream = Manifest['streams'] extends Map<string, infer T> ? T : never;

function willRun(manifest: Manifest, stream: Stream): boolean {
  const { status, appliedAt } = stateOf(stream);
  if (appliedAt !== undefined || status === 'complete' || status === 'skipped') return false;
  return fixTargetOf(manifest, stream) === undefined;
}

/** Of a ladder the first: the others are asked only when it fails. */
function firstModelOf(manifest: Manifest, stream: Stream, fallbackModel: string): string {
  return ladderOf(manifest, stream, { model: undefined, fallbackModel })[0] ?? fallbackModel;
}

/** `fallback`: for streams that nobody names a model for; empty for none. */
export function modelsOf(manifest: Manifest, fallback: string): string[] {
  const models = [...manifest.streams.values()].map((stream) =>
    firstModelOf(manifest, stream, fallback),
  );
  return [...new Set(models)];
}

export function planCostOf(
  manifest: Manifest,
  waves: readonly (readonly string[])[],
  { fallback, prices }: { fallback: string; prices: Prices },
): PlanCost {
  const cost = { calls: 0, inputTokens: 0, outputTokens: 0, knownUsd: 0, unpricedCalls: 0 };
  const written = createWritten(manifest.streams.size);
  const deps = {
    bytesOf: () => 0,
    priceOf: (model: string, tokens: { input: number; output: number }) =>
      costAt(prices.get(model), { ...tokens, cachedInput: 0 }),
  };
  for (const id of waves.flat()) {
    const stream = manifest.streams.get(id)!;
    if (!willRun(manifest, stream)) continue;
    const model = firstModelOf(manifest, stream, fallback);
    const maxTokens = stream.maxTokens ?? manifest.maxTokens;
    const choice = { ...(model && { model }), ...(maxTokens && { maxTokens }) };
    const { estimate } = estimateStream(deps, stream, choice, written.seenBy(stream));
    written.add(stream, estimate.outputTokens);
    cost.calls += 1;
    cost.inputTokens += estimate.inputTokens;
    cost.outputTokens += estimate.outputTokens;
    cost.knownUsd += estimate.costUsd ?? 0;
    if (estimate.costUsd === null) cost.unpricedCalls += 1;
  }
  return { ...cost, skipped: manifest.streams.size - cost.calls };
}
