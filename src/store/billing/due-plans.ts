// Scheduled changes of plans, put in force when their time has come by the database's clock. Nodes and readers
// may find the same one at the same time: the row says who was first.
import { SYSTEM } from '../../domain/access/actor.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { writeAudit } from '../audit/audit-log.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import type { Signals } from '../postgres/signals.ts';
import { updateTeamTier } from './tier-in-force.ts';

const TAKE = `with due as (
    select team_id, next_tier, next_at, cancel_at_period_end from subscriptions
    where team_id = $1 and next_at <= now() for update
  )
  update subscriptions s set next_tier = null, next_at = null, cancel_at_period_end = false,
    status = case when due.cancel_at_period_end then 'canceled' else s.status end
  from due where s.team_id = due.team_id
  returning due.next_tier as tier, due.next_at as at`;

/** False when nothing was due. */
export async function putDueInForce(tx: Queryable, teamId: string): Promise<boolean> {
  const { rows } = await tx.query<{ tier: Tier; at: Date }>(TAKE, [teamId]);
  const due = rows[0];
  if (due === undefined) return false;
  const before = await updateTeamTier(tx, teamId, due.tier);
  await writeAudit(tx, {
    action: 'subscription.in_force',
    actor: SYSTEM,
    teamId,
    target: teamId,
    before: { tier: before ?? due.tier },
    after: { tier: due.tier, scheduledAt: due.at.toISOString() },
  });
  return true;
}

const MAX_DUE = 100;

export async function putAllDueInForce(deps: { db: Db; signals: Signals }): Promise<number> {
  const { rows } = await deps.db.query<{ team_id: string }>(
    'select team_id from subscriptions where next_at <= now() order by next_at limit $1',
    [MAX_DUE],
  );
  let count = 0;
  for (const { team_id: teamId } of rows) {
    if (await deps.db.tx((tx) => putDueInForce(tx, teamId))) count += 1;
  }
  if (count > 0)
    deps.signals.emit(
      'identity',
      rows.map((row) => row.team_id),
    );
  return count;
}
