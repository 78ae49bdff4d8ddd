// What a run with a budget may need at the most, so that a budget that is too small is reported before any
// money is spent, and with a figure that is enough.
import { isSimulatedModel } from '../../../domain/model/model-routing.ts';
import { BASE_MAX_TOKENS } from '../../../domain/model/model-limits.ts';
import { enoughText } from '../../../domain/run/enough.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { StreamOrder } from '../../../manifest/plan.ts';
import { note } from '../../terminal/output.ts';
import { makePlan } from '../manifests/make-plan.ts';
import type { ModelPrices } from '../manifests/model-prices.ts';
import type { RunFlags } from './run-flags.ts';

export interface WorstCases {
  /** By stream: all of its attempts. */
  streams: ReadonlyMap<string, number>;
  /** One call of the most expensive stream, as far as its cap gives way to a budget. */
  largestCallUsd: number;
}

/** Undefined where a price is not known. */
export async function worstCasesOf(
  input: { file: string; manifest: Manifest; order: StreamOrder },
  /** Streams that the run is about. */
  chosen: readonly string[],
  deps: {
    root: string;
    stateDir: string;
    prices: ModelPrices;
    flags: RunFlags;
    fallbackModel: string | undefined;
  },
): Promise<WorstCases | undefined> {
  const { model, agent, serviceTier, concurrency, maxAttempts, instructions, maxCostUsd } =
    deps.flags;
  const { fallbackModel: defaultModel } = deps;
  const choices = {
    model,
    agent,
    serviceTier,
    defaultModel,
    concurrency,
    maxAttempts,
    instructions,
    maxCostUsd,
  };
  const plan = await makePlan({ ...input, warnings: [] }, choices, deps);
  const streams = new Map<string, number>();
  let largestCallUsd = 0;
  for (const id of chosen) {
    const entry = plan.streams.get(id);
    if (entry?.action !== 'run') continue;
    const { model, largestCall: first, worstCase } = entry;
    const rungs = entry.rungs ?? [{ model: model ?? '', largestCall: first }];
    const asked = rungs.filter((rung) => !isSimulatedModel(rung.model));
    if (asked.length === 0) continue;
    if (worstCase.costUsd === null) return undefined;
    streams.set(id, worstCase.costUsd);
    const isSet =
      (input.manifest.streams.get(id)!.maxTokens ?? input.manifest.maxTokens) !== undefined;
    for (const { model: each, largestCall } of asked) {
      const output = isSet
        ? largestCall.outputTokens
        : Math.min(largestCall.outputTokens, BASE_MAX_TOKENS);
      const one = deps.prices.priceOf(each, { input: largestCall.inputTokens, output });
      largestCallUsd = Math.max(largestCallUsd, one ?? 0);
    }
  }
  return { streams, largestCallUsd };
}

/** Nothing is refused: answers are mostly much shorter than they may be. */
export function noteSmallBudget({ streams, largestCallUsd }: WorstCases, maxCostUsd: number): void {
  if (largestCallUsd <= maxCostUsd) return;
  const everything = [...streams.values()].reduce((sum, usd) => sum + usd, 0);
  note(
    `One call could cost up to $${enoughText(largestCallUsd)}, more than --max-cost: the run may stop before it. --max-cost ${enoughText(everything)} would cover everything.`,
  );
}
