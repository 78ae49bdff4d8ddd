// The tier that a team has now: what identities, quotas and caps are read from.
import type { Tier } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';

/** The tier before; undefined when it is this one already. */
export async function updateTeamTier(
  tx: Queryable,
  teamId: string,
  tier: Tier,
): Promise<Tier | undefined> {
  const { rows } = await tx.query<{ tier: Tier }>(
    `with before as (select id, tier from teams where id = $1 and tier <> $2 for no key update)
     update teams t set tier = $2 from before where t.id = before.id returning before.tier`,
    [teamId, tier],
  );
  return rows[0]?.tier;
}
