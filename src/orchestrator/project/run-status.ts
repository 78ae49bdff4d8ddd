// Where a run stands.
import type { RunTotals } from '../../contract/run-events.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import { createReplay } from '../../domain/run/replay.ts';
import { totalsOf } from '../../domain/run/totals.ts';
import { stateOfRun } from './find-run.ts';
import type { FoundRun, RunState } from './find-run.ts';

export interface RunStatus {
  state: RunState;
  projection: RunProjection;
  totals: RunTotals;
  /** Until when it is told: now, or when the last thing happened. */
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
