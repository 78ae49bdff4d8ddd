// The one way to lock runs: sorted, so that submits and ends that share runs cannot wait in a ring.
import type { Queryable } from './db.ts';

const LOCK_RUNS = {
  name: 'lock_runs',
  text: 'select id, user_id from runs where id = any($1) order by id for update',
};

/** Locks those that exist and returns their owners. */
export async function lockRuns(
  tx: Queryable,
  runIds: Iterable<string>,
): Promise<Map<string, string>> {
  const ids = [...new Set(runIds)];
  const { rows } = await tx.query<{ id: string; user_id: string }>(LOCK_RUNS, [ids]);
  return new Map(rows.map((row) => [row.id, row.user_id]));
}
