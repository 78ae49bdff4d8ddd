// Webhooks as their owners see and change them.
import type { WebhookFormat } from '../../contract/webhook-api.ts';
import { lockTeam } from '../accounts/accounts.ts';
import type { Db, Queryable } from '../postgres/db.ts';

export type WebhookStatus = 'active' | 'paused' | 'disabled';

export interface WebhookRow {
  id: string;
  teamId: string;
  userId: string;
  url: string;
  events: string[];
  format: WebhookFormat;
  description: string | null;
  status: WebhookStatus;
  disabledReason: string | null;
  sealedSecret: string;
  createdAt: Date;
}

const COLUMNS = `id, team_id as "teamId", user_id as "userId", url, events, format, description, status,
  disabled_reason as "disabledReason", sealed_secret as "sealedSecret", created_at as "createdAt"`;

export interface NewWebhook {
  id: string;
  userId: string;
  teamId: string;
  apiKeyId: string | null;
  url: string;
  events: readonly string[];
  /** Ours unless it says otherwise. */
  format?: WebhookFormat;
  description: string | null;
  sealedSecret: string;
  /** For the address of one execution, which hears of that alone and is in no list. */
  executionId?: string;
}

export async function insertWebhook(db: Queryable, webhook: NewWebhook): Promise<WebhookRow> {
  const { rows } = await db.query<WebhookRow>(
    `insert into webhooks (id, user_id, execution_id, url, events, description, sealed_secret, status,
       team_id, api_key_id, format)
     values ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $9, $10) returning ${COLUMNS}`,
    [
      webhook.id,
      webhook.userId,
      webhook.executionId ?? null,
      webhook.url,
      webhook.events,
      webhook.description,
      webhook.sealedSecret,
      webhook.teamId,
      webhook.apiKeyId,
      webhook.format ?? 'millrace',
    ],
  );
  return rows[0]!;
}

/** Holds back other creations in this team until the transaction ends, and counts. */
export async function lockWebhookCount(tx: Queryable, teamId: string): Promise<number> {
  await lockTeam(tx, teamId);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from webhooks where team_id = $1 and execution_id is null',
    [teamId],
  );
  return rows[0]?.count ?? 0;
}

export async function listWebhooks(db: Queryable, teamId: string): Promise<WebhookRow[]> {
  const { rows } = await db.query<WebhookRow>(
    `select ${COLUMNS} from webhooks where team_id = $1 and execution_id is null order by id desc`,
    [teamId],
  );
  return rows;
}

export async function findWebhook(db: Queryable, id: string): Promise<WebhookRow | undefined> {
  const { rows } = await db.query<WebhookRow>(
    `select ${COLUMNS} from webhooks where id = $1 and execution_id is null`,
    [id],
  );
  return rows[0];
}

export interface WebhookChanges {
  url: string | undefined;
  events: readonly string[] | undefined;
  format: WebhookFormat | undefined;
  /** Null removes it. */
  description: string | null | undefined;
  status: 'active' | 'paused' | undefined;
}

/** Undefined when it was deleted meanwhile. Switching on forgets the failures of the past. */
export async function updateWebhook(
  db: Queryable,
  id: string,
  changes: WebhookChanges,
): Promise<WebhookRow | undefined> {
  const { rows } = await db.query<WebhookRow>(
    `update webhooks set
       url = coalesce($2, url),
       events = coalesce($3, events),
       format = coalesce($7, format),
       description = case when $4 then $5 else description end,
       status = coalesce($6, status),
       disabled_reason = case when $6::text is null then disabled_reason end,
       failing_since = case when $6 = 'active' and status <> 'active' then null else failing_since end
     where id = $1 returning ${COLUMNS}`,
    [
      id,
      changes.url ?? null,
      changes.events ?? null,
      changes.description !== undefined,
      changes.description ?? null,
      changes.status ?? null,
      changes.format ?? null,
    ],
  );
  return rows[0];
}

/** With everything that was to be sent to it. A try that is under way finds nothing to record. */
export async function deleteWebhook(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from webhooks where id = $1', [id]);
  await tx.query(
    `delete from webhook_attempts where delivery_id in (
       select id from webhook_deliveries where webhook_id = $1)`,
    [id],
  );
  await tx.query('delete from webhook_deliveries where webhook_id = $1', [id]);
  await tx.query('delete from webhook_old_secrets where webhook_id = $1', [id]);
  return rowCount > 0;
}

/** Nobody can look at them any more, and nothing is sent to them. */
export async function deleteWebhooksOfDeletedTeams(db: Db): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select w.id from webhooks w join teams t on t.id = w.team_id
     where t.deleted_at is not null limit 1000`,
  );
  for (const { id } of rows) await db.tx((tx) => deleteWebhook(tx, id));
}

/** Each of them adds a signature to every delivery, and receivers limit their headers. */
const MAX_OLD_SECRETS = 10;

export type ReplacedSecret =
  | { kind: 'replaced'; until: Date }
  | { kind: 'too_many'; count: number; until: Date };

/** The secret of before signs on for a day, and so do those that are still in theirs. */
export async function replaceSecret(
  tx: Queryable,
  id: string,
  sealedSecret: string,
): Promise<ReplacedSecret | undefined> {
  // Locked first: what is counted below cannot change any more.
  const found = await tx.query('select 1 from webhooks where id = $1 for update', [id]);
  if (found.rows.length === 0) return undefined;
  const { rows: old } = await tx.query<{ count: number; until: Date }>(
    `select count(*)::int as count, min(until) as until from webhook_old_secrets
     where webhook_id = $1 and until > now()`,
    [id],
  );
  const { count, until } = old[0]!;
  if (count >= MAX_OLD_SECRETS) return { kind: 'too_many', count, until };
  const { rows } = await tx.query<{ until: Date }>(
    `insert into webhook_old_secrets (webhook_id, sealed_secret, until)
     select id, sealed_secret, now() + interval '24 hours' from webhooks where id = $1 returning until`,
    [id],
  );
  await tx.query('update webhooks set sealed_secret = $2 where id = $1', [id, sealedSecret]);
  return { kind: 'replaced', until: rows[0]!.until };
}
