import type { Queryable } from '../postgres/db.ts';

/**
 * Those whose limits a claim must keep to: its projects, and the team where that has one. In one order, so that two
 * never wait for each other.
 */
export async function lockLimits(
  tx: Queryable,
  { teamId, names }: { teamId: string; names: readonly string[] },
): Promise<void> {
  await tx.query(
    `select 1 from teams where id = $1 and settings ->> 'maxRunningRequests' is not null
     for no key update`,
    [teamId],
  );
  await tx.query(
    'select 1 from projects where team_id = $1 and name = any($2) order by name for no key update',
    [teamId, names],
  );
}
