// One of two runs as the comparison needs it: from its events, or from the history when it has none.
import type { RunStream, RunSummary } from '../../../src/contract/history-api.ts';
import { isFixed } from '../../../src/domain/run/projection.ts';
import type { RunProjection } from '../../../src/domain/run/projection.ts';
import { knownCost } from '../../../src/domain/usage/known-cost.ts';
import { costsOf } from '../run/cost/stream-costs.ts';

export interface ComparedStream {
  id: string;
  name: string;
  status: string;
  /** Undefined where it is not recorded. */
  durationMs: number | undefined;
  tokens: number;
  /** Null when the price is not known, undefined where it is not recorded. */
  costUsd: number | null | undefined;
  files: number;
}

export interface ComparedRun {
  id: string;
  name: string;
  status: string;
  model: string | undefined;
  durationMs: number;
  costUsd: number | null;
  tokens: number;
  files: number;
  streams: Map<string, ComparedStream>;
}

function streamsOf(projection: RunProjection): ComparedStream[] {
  return costsOf(projection, new Map()).map(({ id, name, tokens, costUsd }) => {
    const row = projection.streams.get(id)!;
    const fixes = row.fixes.flatMap((fix) => projection.streams.get(fix) ?? []);
    const all = [row, ...fixes];
    return {
      id,
      name,
      status: row.status === 'failed' && isFixed(projection, row) ? 'complete' : row.status,
      durationMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
      tokens: tokens.input + tokens.output,
      costUsd,
      files: new Set(all.flatMap(({ changes }) => changes.map(({ path }) => path))).size,
    };
  });
}

export function comparedRun(
  { run, streams }: { run: RunSummary; streams: readonly RunStream[] },
  projection: RunProjection,
): ComparedRun {
  const isReported = projection.streams.size > 0;
  const rows: ComparedStream[] = isReported
    ? streamsOf(projection)
    : streams.map((stream) => ({
        id: stream.streamId,
        name: stream.name,
        status: stream.status,
        durationMs: undefined,
        tokens: stream.tokensInput + stream.tokensOutput,
        costUsd: undefined,
        files: stream.filesChanged.length,
      }));
  return {
    id: run.id,
    name: run.feature,
    status: run.status,
    model: isReported ? projection.model : undefined,
    durationMs: run.durationMs,
    costUsd: knownCost(run.totalCostUsd, run.unpricedCalls ?? 0),
    tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0),
    files: rows.reduce((sum, { files }) => sum + files, 0),
    streams: new Map(rows.map((row) => [row.id, row])),
  };
}
