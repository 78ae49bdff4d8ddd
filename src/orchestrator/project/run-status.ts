// Where a run stands.
import type { RunTotals } from '../../contract/run-events.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection, StreamRow } from '../../domain/run/projection.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { totalsOf } from '../../domain/run/totals.ts';
import { stateOfRun } from './find-run.ts';
import type { FoundRun, RunState } from './find-run.ts';

export interface RunStatus {
  state: RunState;
  projection: RunProjection;
  totals: RunTotals;
  /** The time that it describes: now, or when the last thing happened. */
  at: number;
}

export function statusOfRun(
  { stateDir }: { stateDir: string },
  run: FoundRun,
  now: number,
): RunStatus {
  const state = stateOfRun(stateDir, run);
  const projection = projectionOf(run.events);
  projection.isCutOff = state === 'interrupted';
  const at = state === 'running' ? now : Date.parse(run.events.at(-1)!.ts);
  const { record } = createReplay(run.events);
  const totals = projection.end?.totals ?? totalsOf(record, at - projection.startedAt);
  return { state, projection, totals, at };
}

function rowDocument(row: StreamRow, now: number): object {
  const running = row.startedAt === undefined ? 0 : now - row.startedAt;
  return {
    name: row.name,
    wave: row.wave,
    status: row.status,
    attempt: row.attempt,
    waitsFor: row.waitsFor,
    ...(row.fixOf !== undefined && { fixOf: row.fixOf }),
    tokens: row.tokens,
    costUsd: row.costUsd,
    ...(row.estimatedUsd !== undefined && { estimatedUsd: row.estimatedUsd }),
    durationMs: row.durationMs + running,
    files: row.changes.map(({ path }) => path),
    ...(row.command !== undefined && { command: row.command }),
    ...(row.error !== undefined && { error: row.error }),
  };
}

/** As `status --json` prints it. */
export function statusDocument({ state, projection, totals, at }: RunStatus): object {
  // Without a prototype, so that a stream may be called anything.
  const streams = Object.create(null) as Record<string, object>;
  for (const row of projection.streams.values()) streams[row.id] = rowDocument(row, at);
  const { runId, manifest, file, model, simulated } = projection;
  const startedAt = new Date(projection.startedAt).toISOString();
  const about = { runId, manifest, file, model, simulated, startedAt };
  const without = projection.agentsWithoutSandbox ? { agentsWithoutSandbox: true } : {};
  return { ...about, ...without, status: state, streams, totals };
}
