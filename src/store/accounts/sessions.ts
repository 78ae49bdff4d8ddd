// Who is signed in. A session that has ended has no row; whether one has run out, the database's clock
// says.
import { SESSION_LIFE } from '../../domain/accounts/session-life.ts';
import type { SessionKind } from '../../domain/accounts/session-life.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { toOwner } from './accounts.ts';
import type { CredentialOwner, OwnerRow } from './accounts.ts';

/** More than anybody uses; the oldest go first. */
const MAX_SESSIONS = 100;

function endsAt(kind: SessionKind): string {
  const { idleDays, totalDays } = SESSION_LIFE[kind];
  return `least(s.last_used_at + interval '${idleDays} days', s.created_at + interval '${totalDays} days')`;
}

const ENDS_AT = `case s.kind when 'device' then ${endsAt('device')} else ${endsAt('session')} end`;

const FIND_SESSION_OWNER = {
  name: 'find_session_owner',
  text: `select s.id, s.kind, u.id as user_id, t.id as team_id, m.role, t.tier, u.requests_per_minute,
           u.suspended_at is not null as suspended,
           t.suspended_at is not null as team_suspended,
           (extract(epoch from ${ENDS_AT} - now()) * 1000)::float8 as expires_in_ms
         from sessions s
         join users u on u.id = s.user_id
         join teams t on t.personal_user_id = u.id
         join team_members m on m.team_id = t.id and m.user_id = u.id
         where s.token_hash = $1`,
};

export async function findSessionOwner(
  db: Db,
  tokenHash: Buffer,
): Promise<CredentialOwner | undefined> {
  const { rows } = await db.read<OwnerRow & { id: string; kind: SessionKind }>(FIND_SESSION_OWNER, [
    tokenHash,
  ]);
  const row = rows[0];
  return row && toOwner(row, { kind: row.kind, id: row.id }, false);
}

export interface SessionRecord {
  id: string;
  kind: SessionKind;
  name: string | null;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  address: string;
  userAgent: string | null;
}

const COLUMNS = `s.id, s.kind, s.name, s.created_at as "createdAt", s.last_used_at as "lastUsedAt",
  ${ENDS_AT} as "expiresAt", s.address, s.user_agent as "userAgent"`;

/** Also clears away what has run out. */
export async function insertSession(
  tx: Queryable,
  session: {
    id: string;
    userId: string;
    tokenHash: Buffer;
    address: string;
    userAgent: string | null;
    /** Of a command line. */
    device?: { name: string | null };
  },
): Promise<SessionRecord> {
  await tx.query(
    `delete from sessions s where s.user_id = $1 and (${ENDS_AT} <= now() or s.id in (
       select o.id from sessions o where o.user_id = $1 order by o.id desc offset $2))`,
    [session.userId, MAX_SESSIONS - 1],
  );
  const { rows } = await tx.query<SessionRecord>(
    `insert into sessions as s (id, user_id, token_hash, address, user_agent, kind, name)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    [
      session.id,
      session.userId,
      session.tokenHash,
      session.address,
      session.userAgent,
      session.device ? 'device' : 'session',
      session.device?.name ?? null,
    ],
  );
  return rows[0]!;
}

export async function listSessions(db: Queryable, userId: string): Promise<SessionRecord[]> {
  const { rows } = await db.query<SessionRecord>(
    `select ${COLUMNS} from sessions s where s.user_id = $1 and ${ENDS_AT} > now()
     order by s.id desc`,
    [userId],
  );
  return rows;
}

/** Whether its user signed in with it within these minutes. */
export async function isNewSession(db: Queryable, id: string, minutes: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from sessions where id = $1 and created_at > now() - make_interval(mins => $2)`,
    [id, minutes],
  );
  return rowCount > 0;
}

/** Remembers that sessions were used; callers see to it that this is written rarely. */
export async function updateSessionsLastUsed(db: Queryable, ids: readonly string[]): Promise<void> {
  await db.query('update sessions set last_used_at = now() where id = any($1)', [ids]);
}

export async function deleteSessionByToken(
  db: Queryable,
  tokenHash: Buffer,
): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>(
    'delete from sessions where token_hash = $1 returning user_id',
    [tokenHash],
  );
  return rows[0]?.user_id;
}

export async function deleteSession(db: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from sessions where user_id = $1 and id = $2', [
    userId,
    id,
  ]);
  return rowCount > 0;
}

/** All of a user; returns how many there were. A command line that was let in but is not in yet stays out. */
export async function deleteSessions(tx: Queryable, userId: string): Promise<number> {
  await tx.query('delete from device_codes where user_id = $1', [userId]);
  const { rowCount } = await tx.query('delete from sessions where user_id = $1', [userId]);
  return rowCount;
}
