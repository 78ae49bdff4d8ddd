// What each stream of a run took, its fixes with it.
import type { RunEvent, Tokens } from '../../../../src/contract/run-events.ts';
import type { RunProjection, StreamRow } from '../../../../src/domain/run/projection.ts';
import { addCosts, addEstimates, addTokens } from '../../../../src/domain/run/replay.ts';

export interface StreamCost {
  id: string;
  name: string;
  tokens: Tokens;
  /** Null when a price is not known. */
  costUsd: number | null;
  /** By the word of an agent with the person's own login; undefined where none worked on it. */
  estimatedUsd: number | null | undefined;
  /** What answers that were used again had cost. */
  savedUsd: number;
  calls: number;
  fixes: number;
}

export function callsOf(events: readonly RunEvent[]): Map<string, number> {
  const calls = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'stream.answer') calls.set(event.stream, (calls.get(event.stream) ?? 0) + 1);
  }
  return calls;
}

export function costsOf(
  { streams }: RunProjection,
  calls: ReadonlyMap<string, number>,
): StreamCost[] {
  const own = [...streams.values()].filter(({ fixOf }) => fixOf === undefined);
  return own.map((row) => {
    const fixes = row.fixes.flatMap((id) => streams.get(id) ?? []);
    const all: StreamRow[] = [row, ...fixes];
    return {
      id: row.id,
      name: row.name,
      tokens: all.map(({ tokens }) => tokens).reduce(addTokens),
      costUsd: all.map(({ costUsd }) => costUsd).reduce(addCosts),
      estimatedUsd: all.map(({ estimatedUsd }) => estimatedUsd).reduce(addEstimates, undefined),
      savedUsd: all.reduce((sum, { savedUsd }) => sum + (savedUsd ?? 0), 0),
      calls: all.reduce((sum, { id }) => sum + (calls.get(id) ?? 0), 0),
      fixes: fixes.length,
    };
  });
}

/** Answers that were there already, each instead of a call. */
export function reusedIn(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => type === 'stream.cached').length;
}

export interface CostSum {
  tokens: Tokens;
  knownUsd: number;
  estimatedUsd: number | null | undefined;
  isUnpriced: boolean;
  savedUsd: number;
  calls: number;
  reused: number;
}

export function sumOf(costs: readonly StreamCost[], reused: number): CostSum {
  return {
    tokens: costs
      .map(({ tokens }) => tokens)
      .reduce(addTokens, { input: 0, output: 0, cachedInput: 0 }),
    knownUsd: costs.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    estimatedUsd: costs.map(({ estimatedUsd }) => estimatedUsd).reduce(addEstimates, undefined),
    isUnpriced: costs.some(({ costUsd }) => costUsd === null),
    savedUsd: costs.reduce((sum, { savedUsd }) => sum + savedUsd, 0),
    calls: costs.reduce((sum, { calls }) => sum + calls, 0),
    reused,
  };
}
