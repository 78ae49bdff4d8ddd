// What a run came to.
import { STREAM_STATUSES } from '../../manifest/model.ts';
import type { StreamStatus } from '../../manifest/model.ts';
import type { RunTotals } from '../../contract/run-events.ts';
import { NO_TOKENS, addCosts, addEstimates, addTokens } from './replay.ts';
import type { RunRecord } from './replay.ts';

export function totalsOf(record: RunRecord, durationMs: number): RunTotals {
  const streams = Object.fromEntries(STREAM_STATUSES.map((status) => [status, 0])) as Record<
    StreamStatus,
    number
  >;
  const files = new Set<string>();
  let tokens = { ...NO_TOKENS };
  let costUsd: number | null = 0;
  let knownCostUsd = 0;
  let unpricedCalls = 0;
  let cachedCalls = 0;
  let savedUsd = 0;
  let estimatedUsd: number | null | undefined;
  for (const [id, stream] of record.streams) {
    tokens = addTokens(tokens, stream.tokens);
    costUsd = addCosts(costUsd, stream.costUsd);
    knownCostUsd += stream.knownCostUsd;
    unpricedCalls += stream.unpricedCalls;
    cachedCalls += stream.cachedCalls;
    savedUsd += stream.savedUsd;
    estimatedUsd = addEstimates(estimatedUsd, stream.estimatedUsd);
    for (const file of stream.files) files.add(file);
    if (!record.fixes.has(id)) streams[stream.status] += 1;
  }
  const filesChanged = [...files].sort();
  const known = { costUsd, knownCostUsd, unpricedCalls, cachedCalls, savedUsd };
  const cost = { ...known, ...(estimatedUsd !== undefined && { estimatedUsd }) };
  return { streams, fixes: record.fixes.size, tokens, ...cost, durationMs, filesChanged };
}

/** What was cut off can be resumed; until then nobody is at work on it. */
export function atRest(totals: RunTotals): RunTotals {
  const { in_progress: cutOff, pending } = totals.streams;
  return { ...totals, streams: { ...totals.streams, pending: pending + cutOff, in_progress: 0 } };
}
