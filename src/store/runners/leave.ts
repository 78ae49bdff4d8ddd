// What becomes of runners and requests when people or teams go.
import type { Queryable } from '../postgres/db.ts';

/** Of one person, in one team or with null in all; or of everybody in a team. What is under way is refused from then on. */
export async function endRunnersOf(
  tx: Queryable,
  teamId: string | null,
  userId: string | null,
): Promise<void> {
  await tx.query(
    `update run_requests set status = 'cancelled', ended_at = now(), lease_until = null,
       token_hash = null, cancel_at = coalesce(cancel_at, now()), outcome = $3
     where ($1::text is null or team_id = $1) and ($2::text is null or user_id = $2)
       and status in ('queued', 'running')`,
    [teamId, userId, JSON.stringify({ message: 'The person who asked for it left the team.' })],
  );
  await tx.query(
    `delete from runners where ($1::text is null or team_id = $1) and ($2::text is null or user_id = $2)`,
    [teamId, userId],
  );
  if (userId === null) await tx.query('delete from projects where team_id = $1', [teamId]);
}
