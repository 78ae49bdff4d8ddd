// What a restored database has that was true only of the moment of the backup.
import type { Price } from '../../domain/usage/largest-cost.ts';
import { recordLostCalls } from '../jobs/lost-calls.ts';
import { requeueInTx } from '../jobs/requeue-jobs.ts';
import type { Queryable } from '../postgres/db.ts';

/**
 * The nodes of the backup are gone, and their jobs wait again. That is no fault of the jobs, so it is not
 * counted among the workers they have lost; what their calls have used is estimated as for those.
 */
export async function releaseRunning(tx: Queryable, price: Price): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `select distinct node_id as id from jobs where status = 'running' and node_id is not null`,
  );
  const nodeIds = rows.map(({ id }) => id);
  const released = await requeueInTx(tx, nodeIds, { lost: false, price });
  await recordLostCalls(tx, released, price);
  await tx.query('delete from nodes');
  return released.length;
}

/** Time has stood still for work that had not ended: otherwise all of it would be over its deadline. */
export async function moveDeadlines(tx: Queryable, takenAt: string): Promise<void> {
  const passed = `greatest(interval '0', now() - $1::timestamptz)`;
  await tx.query(
    `update jobs set deadline_at = deadline_at + ${passed} where status in ('pending', 'running')`,
    [takenAt],
  );
  await tx.query(
    `update executions set deadline_at = deadline_at + ${passed} where status = 'running'`,
    [takenAt],
  );
}
