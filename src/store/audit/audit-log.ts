// The audit log: written in the transaction of the change that it records, so that neither is there
// without the other.
import { emailKey } from '../../contract/email-address.ts';
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { AuditQuery } from '../../contract/audit-api.ts';
import type { AuditActor } from '../../domain/access/actor.ts';
import { newId } from '../../platform/ids.ts';
import type { Db, Queryable } from '../postgres/db.ts';

/** What was, or is; never a secret. */
export type AuditDetails = Readonly<Record<string, unknown>>;

export interface AuditEntry {
  action: AuditAction;
  actor: AuditActor;
  /** The team it is about; null for what is about the server, or about an account. */
  teamId: string | null;
  /** The account it is about: its owner finds the entry in the log of their personal team. */
  accountId?: string;
  /** The id of what was changed. */
  target: string | null;
  before?: AuditDetails;
  after?: AuditDetails;
}

/** For an entry about an account as a whole. */
export function aboutAccount(userId: string) {
  return { teamId: null, accountId: userId, target: userId };
}

export async function writeAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { action, actor, teamId, accountId, target, before, after } = entry;
  const text = (details: AuditDetails | undefined) => (details ? JSON.stringify(details) : null);
  await tx.query(
    `insert into audit_events
       (id, team_id, user_id, credential, credential_id, address, action, target, before, after)
     values ($1, coalesce($2, (select id from teams where personal_user_id = $11)),
       $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      newId('aud'),
      teamId,
      actor.userId,
      actor.credential,
      actor.credentialId,
      actor.address,
      action,
      target,
      text(before),
      text(after),
      accountId ?? null,
    ],
  );
}

export interface AuditRow {
  id: string;
  at: Date;
  action: AuditAction;
  teamId: string | null;
  userId: string | null;
  email: string | null;
  credential: string;
  credentialId: string | null;
  address: string | null;
  target: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** Newest first. Without a team: of the whole server. */
export async function listAudit(
  db: Queryable,
  teamId: string | null,
  query: AuditQuery,
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(
    `select e.id, e.at, e.action, e.team_id as "teamId", e.user_id as "userId", u.email,
       e.credential, e.credential_id as "credentialId", e.address, e.target, e.before, e.after
     from audit_events e left join users u on u.id = e.user_id
     where ($1::text is null or e.team_id = $1)
       and ($3::text is null or e.id < $3)
       and ($4::text is null or e.action = $4
         or (right($4, 2) = '.*' and starts_with(e.action, left($4, -1))))
       and ($5::text is null or e.user_id = $5)
       and ($6::text is null or e.target = $6)
       and ($7::timestamptz is null or e.at >= $7)
       and ($8::timestamptz is null or e.at < $8)
     order by e.id desc limit $2`,
    [
      teamId,
      query.limit,
      query.before ?? null,
      query.action ?? null,
      query.userId ?? null,
      query.target ?? null,
      query.since ?? null,
      query.until ?? null,
    ],
  );
  return rows;
}

/** The address or the name of one account, in what was or is. `$1` is its id, `$2` the key of its address. */
function erased(column: 'before' | 'after'): string {
  const field = (name: string, from: string) =>
    `case when lower(${column} ->> '${name}' collate "C") = $2
       then jsonb_set(${from}, '{${name}}', to_jsonb($1::text)) else ${from} end`;
  const withoutEmail = field('name', field('email', column));
  return `case when target = $1 and action like 'account.%'
    then jsonb_set(${withoutEmail}, '{name}', 'null', false) else ${withoutEmail} end`;
}

const SHOWS = (column: 'before' | 'after') =>
  `(lower(${column} ->> 'email' collate "C") = $2 or lower(${column} ->> 'name' collate "C") = $2)`;

/** What happened stays; the person who is deleted is an id from now on. */
export async function eraseFromAudit(
  tx: Queryable,
  { id, email }: { id: string; email: string },
): Promise<void> {
  await tx.query(`select set_config('millrace.audit_erasure', 'on', true)`);
  await tx.query(
    `update audit_events set before = ${erased('before')}, after = ${erased('after')}
     where (target = $1 and action like 'account.%') or ${SHOWS('before')} or ${SHOWS('after')}`,
    [id, emailKey(email)],
  );
  await tx.query(`select set_config('millrace.audit_erasure', 'off', true)`);
}

/** Longer than a year, so that a yearly review finds all of it. */
const KEPT_DAYS = 400;

export async function deleteOldAudit(db: Db): Promise<void> {
  await db.tx(async (tx) => {
    await tx.query(`select set_config('millrace.audit_retention', 'on', true)`);
    await tx.query(
      `delete from audit_events where at < now() - make_interval(days => ${KEPT_DAYS})`,
    );
  });
}
