// Links to single runs. Their expiry is judged by the database's clock.
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Queryable } from '../postgres/db.ts';

export interface ShareRow extends RunKey {
  id: string;
  includeChanges: boolean;
  createdAt: Date;
  expiresAt: Date;
}

const COLUMNS = `s.id, s.team_id as "teamId", s.run_id as "runId", s.include_changes as "includeChanges",
  s.created_at as "createdAt", s.expires_at as "expiresAt"`;

export interface NewShare extends RunKey {
  id: string;
  userId: string;
  tokenHash: Buffer;
  includeChanges: boolean;
  lifeHours: number;
}

/** Undefined when no command line has reported the run. */
export async function insertShare(tx: Queryable, share: NewShare): Promise<ShareRow | undefined> {
  const { rows } = await tx.query<ShareRow>(
    `insert into run_shares as s (id, team_id, run_id, user_id, token_hash, include_changes, expires_at)
     select $1, team_id, run_id, $4, $5, $6, now() + make_interval(hours => $7)
     from run_reports where team_id = $2 and run_id = $3 returning ${COLUMNS}`,
    [
      share.id,
      share.teamId,
      share.runId,
      share.userId,
      share.tokenHash,
      share.includeChanges,
      share.lifeHours,
    ],
  );
  return rows[0];
}

/** How many work. */
export async function countShares(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<{ ofRun: number; ofTeam: number }> {
  const { rows } = await db.query<{ ofRun: number; ofTeam: number }>(
    `select count(*) filter (where run_id = $2)::int as "ofRun", count(*)::int as "ofTeam"
     from run_shares where team_id = $1 and revoked_at is null and expires_at > now()`,
    [teamId, runId],
  );
  return rows[0]!;
}

/** Those that work, newest first. */
export async function listShares(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<(ShareRow & { createdBy: string | null })[]> {
  const { rows } = await db.query<ShareRow & { createdBy: string | null }>(
    `select ${COLUMNS}, u.email as "createdBy" from run_shares s left join users u on u.id = s.user_id
     where s.team_id = $1 and s.run_id = $2 and s.revoked_at is null and s.expires_at > now()
     order by s.id desc`,
    [teamId, runId],
  );
  return rows;
}

/** Undefined when there is none that still works. */
export async function deleteShare(
  tx: Queryable,
  { teamId, runId }: RunKey,
  id: string,
): Promise<ShareRow | undefined> {
  const { rows } = await tx.query<ShareRow>(
    `update run_shares s set revoked_at = now()
     where id = $3 and team_id = $1 and run_id = $2 and revoked_at is null and expires_at > now()
     returning ${COLUMNS}`,
    [teamId, runId, id],
  );
  return rows[0];
}

/** By its secret, while it works and its team does. */
export async function findShare(
  db: Queryable,
  id: string,
  tokenHash: Buffer,
): Promise<ShareRow | undefined> {
  const { rows } = await db.query<ShareRow>(
    `select ${COLUMNS} from run_shares s
       join teams t on t.id = s.team_id
     where s.id = $1 and s.token_hash = $2 and s.revoked_at is null and s.expires_at > now()
       and t.deleted_at is null and t.suspended_at is null`,
    [id, tokenHash],
  );
  return rows[0];
}
