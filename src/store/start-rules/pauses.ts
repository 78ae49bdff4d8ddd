// Schedules and triggers that are paused by the server.
import type { PauseReason } from '../../contract/start-reasons.ts';
import { PERMISSIONS } from '../../contract/permissions.ts';
import type { Queryable } from '../postgres/db.ts';
import type { StarterKind } from './start-facts.ts';

export const STARTER_TABLES = {
  schedule: 'schedules',
  trigger: 'triggers',
} as const satisfies Record<StarterKind, string>;

/** Undefined when it is not active any more, or was resumed after it was looked at. */
export async function pauseStarter(
  tx: Queryable,
  kind: StarterKind,
  { id, reason, activeSince }: Pick<ToPause, 'id' | 'reason'> & { activeSince?: string },
): Promise<{ name: string; teamId: string } | undefined> {
  const { rows } = await tx.query<{ name: string; teamId: string }>(
    `update ${STARTER_TABLES[kind]} set status = 'paused', paused_reason = $2, paused_at = now()
     where id = $1 and status = 'active' and ($3::text is null or active_since::text = $3)
     returning name, team_id as "teamId"`,
    [id, reason, activeSince ?? null],
  );
  return rows[0];
}

const WRITERS = Object.entries(PERMISSIONS)
  .filter(([, actions]) => actions.includes('write'))
  .map(([role]) => role);

export interface ToPause {
  id: string;
  teamId: string;
  reason: PauseReason;
  /** As the database writes it: to the microsecond. */
  activeSince: string;
}

/** Active ones that would be paused if they were about to start something. */
export async function listToPause(
  db: Queryable,
  kind: StarterKind,
  limit: number,
): Promise<ToPause[]> {
  const { rows } = await db.query<ToPause>(
    `select id, team_id as "teamId", reason, active_since::text as "activeSince" from (
       select s.id, s.team_id, s.active_since, case
           when m.role is null then 'owner_left'
           when u.suspended_at is not null or u.deleted_at is not null then 'owner_suspended'
           when m.role <> all($2) then 'owner_role'
           when s.pause_after_failures <= (
             select count(*) from (
               select status, bool_or(status = 'completed') over (order by id desc) as over
               from (select id, status from run_requests q
                 where q.origin_kind = $1 and q.origin_id = s.id
                   and q.status in ('completed', 'failed') and q.created_at >= s.active_since
                 order by id desc limit s.pause_after_failures) latest) ended
             where status = 'failed' and not over) then 'failures' end as reason
       from ${STARTER_TABLES[kind]} s join users u on u.id = s.user_id
       left join team_members m on m.team_id = s.team_id and m.user_id = s.user_id
       where s.status = 'active') checked
     where reason is not null limit $3`,
    [kind, WRITERS, limit],
  );
  return rows;
}
