// A job that calls a model again after a call that cost something needs as much again: what was reserved
// when it was accepted is for one call.
import { capsOf } from '../../domain/usage/run-caps.ts';
import { isCovered } from '../../domain/usage/reservation.ts';
import type { Db } from '../postgres/db.ts';
import { lockRuns, withRun } from '../runs/lock-runs.ts';
import { findRunCaps, reserveOfCaps } from './run-caps.ts';
import { findBudgets } from './team-budgets.ts';
import { addToMonths } from './usage-months.ts';

interface Reserving {
  id: string;
  attempt: number;
  teamId: string;
  runId: string | null;
  streamId: string;
}

/** False when a budget or a cap has no room for it, or the job is no longer this worker's. */
export async function reserveAgain(db: Db, job: Reserving, costUsd: number): Promise<boolean> {
  return db.tx(async (tx) => {
    // The lock of the team's submits: nobody else can take the same room.
    await tx.query('select 1 from team_queue where team_id = $1 for update', [job.teamId]);
    const runs = withRun([job]);
    await lockRuns(tx, runs);
    const runId = job.runId ?? undefined;
    const caps = capsOf(await findRunCaps(tx, runs), { ...job, runId });
    const budget = (await findBudgets(tx, [job.teamId])).get(job.teamId);
    const limits = [...caps, ...(budget === undefined ? [] : [budget])];
    if (limits.length === 0) return true;
    if (!limits.every((limit) => isCovered(limit, costUsd))) return false;
    const updated = await tx.query<{ month: string }>(
      `update jobs set reserved_usd = reserved_usd + $3
       where id = $1 and attempt = $2 and status = 'running' and reserved_usd is not null
       returning (queued_at at time zone 'utc')::date::text as month`,
      [job.id, job.attempt, costUsd],
    );
    const month = updated.rows[0]?.month;
    if (month === undefined) return false;
    await reserveOfCaps(tx, [{ job, runId, reservedUsd: costUsd }]);
    await addToMonths(tx, [{ teamId: job.teamId, month, reservedUsd: costUsd }]);
    return true;
  });
}
