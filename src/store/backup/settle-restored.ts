// What a restored database has that was true only of the moment of the backup.
import type { Price } from '../../domain/execution/execution-budget.ts';
import { handBackInTx } from '../jobs/claim-jobs.ts';
import { recordLostCalls } from '../jobs/lost-calls.ts';
import { sendFrom, type Queue } from '../jobs/queue.ts';
import type { Queryable } from '../postgres/db.ts';

/** Holds the messages until the jobs they belong to are there. */
export const RESTORED_MESSAGES = 'restored_messages';

export async function createMessagesTable(tx: Queryable): Promise<void> {
  await tx.query(
    `create temporary table ${RESTORED_MESSAGES}
       (message_id uuid primary key, virtual_time int not null, start_after timestamptz not null)
     on commit drop`,
  );
}

/** As new messages: nobody holds them, and the queue keeps them as long as any. */
export async function sendRestored(tx: Queryable): Promise<void> {
  const waiting = `(select message_id, virtual_time, false as taken, null as node_id,
      greatest(0, ceil(extract(epoch from start_after - now())))::int as delay_seconds
    from ${RESTORED_MESSAGES})`;
  await tx.query(sendFrom(waiting));
}

/**
 * The nodes of the backup are gone, and their jobs wait again. That is no fault of the jobs, so it is not
 * counted among the workers they have lost; what their calls have used is estimated as for those.
 */
export async function releaseRunning(
  tx: Queryable,
  deps: { queue: Queue; price: Price },
): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `select distinct node_id as id from jobs where status = 'running' and node_id is not null`,
  );
  const nodeIds = rows.map(({ id }) => id);
  const released = await handBackInTx(tx, deps, nodeIds, { lost: false });
  await recordLostCalls(tx, released, deps.price);
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
