// A job that calls a model again after a call that cost something needs as much again: what was reserved
// when it was accepted is for one call.
import { isCovered } from '../../domain/usage/reservation.ts';
import type { Db } from '../postgres/db.ts';
import { findBudgets } from './team-budgets.ts';
import { addToMonths } from './usage-months.ts';

/** False when the team's budget has no room for it, or the job is no longer this worker's. */
export async function reserveAgain(
  db: Db,
  job: { id: string; attempt: number; teamId: string },
  costUsd: number,
): Promise<boolean> {
  return db.tx(async (tx) => {
    // The lock of the team's submits: nobody else can take the same room.
    const { rows } = await tx.query<{ team_id: string; budget_usd: number | null }>(
      'select team_id, budget_usd from team_queue where team_id = $1 for update',
      [job.teamId],
    );
    const budget = (await findBudgets(tx, rows)).get(job.teamId);
    if (budget === undefined) return true;
    if (!isCovered(budget, costUsd)) return false;
    const updated = await tx.query<{ month: string }>(
      `update jobs set reserved_usd = reserved_usd + $3
       where id = $1 and attempt = $2 and status = 'running' and reserved_usd is not null
       returning (queued_at at time zone 'utc')::date::text as month`,
      [job.id, job.attempt, costUsd],
    );
    const month = updated.rows[0]?.month;
    if (month === undefined) return false;
    await addToMonths(tx, [{ teamId: job.teamId, month, reservedUsd: costUsd }]);
    return true;
  });
}
