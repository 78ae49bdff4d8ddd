// What streams will take that run again: what they took in this run, their fixes with them.
import type { Tokens } from '../../../../src/contract/run-events.ts';
import type { StreamRow } from '../../../../src/domain/run/projection.ts';
import { NO_TOKENS, addCosts, addTokens } from '../../../../src/domain/run/replay.ts';

export interface RerunEstimate {
  tokens: Tokens;
  /** With the models of this run; null when a price is not known. */
  costUsd: number | null;
}

const tookAnything = ({ tokens }: RerunEstimate) => tokens.input + tokens.output > 0;

function meanOf(known: readonly RerunEstimate[]): RerunEstimate {
  const mean = (pick: (taken: RerunEstimate) => number) =>
    known.reduce((sum, taken) => sum + pick(taken), 0) / known.length;
  const isPriced = known.every(({ costUsd }) => costUsd !== null);
  return {
    tokens: {
      input: Math.round(mean(({ tokens }) => tokens.input)),
      output: Math.round(mean(({ tokens }) => tokens.output)),
      cachedInput: Math.round(mean(({ tokens }) => tokens.cachedInput)),
    },
    costUsd: isPriced ? mean(({ costUsd }) => costUsd ?? 0) : null,
  };
}

/** A stream that was never asked will take about as much as the others did. */
export function estimateOf(
  streams: ReadonlyMap<string, StreamRow>,
  again: readonly StreamRow[],
): RerunEstimate | undefined {
  const takenBy = (row: StreamRow): RerunEstimate => {
    const all = [row, ...row.fixes.flatMap((id) => streams.get(id) ?? [])];
    return {
      tokens: all.map(({ tokens }) => tokens).reduce(addTokens),
      costUsd: all.map(({ costUsd }) => costUsd).reduce(addCosts),
    };
  };
  const own = [...streams.values()].filter(({ fixOf }) => fixOf === undefined);
  const known = own.map(takenBy).filter(tookAnything);
  if (known.length === 0) return undefined;
  const usual = meanOf(known);
  const taken = again.map(takenBy).map((each) => (tookAnything(each) ? each : usual));
  return {
    tokens: taken.map(({ tokens }) => tokens).reduce(addTokens, { ...NO_TOKENS }),
    costUsd: taken.map(({ costUsd }) => costUsd).reduce(addCosts, 0),
  };
}
