// Teams as their members see and change them.
import type { Queryable } from '../postgres/db.ts';

export async function findTeamName(db: Queryable, teamId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>('select name from teams where id = $1', [
    teamId,
  ]);
  return rows[0]?.name;
}
