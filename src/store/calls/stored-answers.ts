// Which team made what a vendor keeps under a name.
import type { Db, Queryable } from '../postgres/db.ts';

export async function insertStoredAnswer(db: Queryable, id: string, teamId: string): Promise<void> {
  await db.query(
    'insert into stored_answers (object_id, team_id) values ($1, $2) on conflict do nothing',
    [id.slice(0, 500), teamId],
  );
}

/** Those of the ids that this team has not made. */
export async function listForeignAnswers(
  db: Db,
  teamId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ id: string }>(
    'select object_id as id from stored_answers where team_id = $1 and object_id = any($2)',
    [teamId, ids],
  );
  const own = new Set(rows.map(({ id }) => id));
  return new Set(ids.filter((id) => !own.has(id)));
}

/** No vendor keeps them for longer. */
export async function deleteOldStoredAnswers(db: Queryable): Promise<void> {
  await db.query(
    `delete from stored_answers where ctid in (
       select ctid from stored_answers where created_at < now() - interval '90 days' limit 10000)`,
  );
}
