// The log of deliveries as the owner of a webhook sees it, sending again, and clearing up.
import type { Db, Queryable } from '../postgres/db.ts';

export interface AttemptRow {
  at: string;
  status: number | null;
  durationMs: number;
  responseBody: string | null;
  error: string | null;
}

export interface DeliveryRow {
  id: string;
  event: string;
  eventId: string;
  executionId: string | null;
  status: 'pending' | 'delivered' | 'failed';
  createdAt: Date;
  /** When it is tried next; null while it is being tried and at its end. */
  nextAttemptAt: Date | null;
  attempts: AttemptRow[];
}

/** Newest first; one more than `limit` shows that there are more. */
export async function listDeliveries(
  db: Queryable,
  webhookId: string,
  page: { limit: number; before: string | undefined },
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select d.id, e.event, e.id as "eventId", e.execution_id as "executionId", d.status,
       d.created_at as "createdAt",
       case when d.status = 'pending' and not d.leased then d.due_at end as "nextAttemptAt",
       coalesce((
         select json_agg(json_build_object(
           'at', to_char(a.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'status', a.status, 'durationMs', a.duration_ms,
           'responseBody', a.response_body, 'error', a.error) order by a.claim)
         from webhook_attempts a where a.delivery_id = d.id), '[]') as attempts
     from webhook_deliveries d join webhook_events e on e.id = d.event_id
     where d.webhook_id = $1 and ($2::text is null or d.id < $2)
     order by d.id desc limit $3`,
    [webhookId, page.before ?? null, page.limit],
  );
  return rows;
}

/**
 * Makes a delivery due at once, with all its tries before it. One that is just being sent stays as
 * it is. Undefined when the webhook has no such delivery.
 */
export async function redeliver(
  db: Queryable,
  webhookId: string,
  deliveryId: string,
): Promise<{ eventId: string } | undefined> {
  const { rows } = await db.query<{ eventId: string }>(
    `update webhook_deliveries set
       status = 'pending',
       tries = case when leased then tries else 0 end,
       due_at = case when leased then due_at else now() end,
       ended_at = null
     where id = $2 and webhook_id = $1 returning event_id as "eventId"`,
    [webhookId, deliveryId],
  );
  return rows[0];
}

const KEPT_DAYS = 30;
const PRUNE_LIMIT = 5000;

/** Forgets what is over for long, and secrets that no longer sign. Any node may, at any time. */
export async function pruneWebhooks(db: Db): Promise<void> {
  await db.query(
    `delete from webhook_old_secrets o where until < now()
       or not exists (select 1 from webhooks w where w.id = o.webhook_id)`,
  );
  const { rows } = await db.query<{ id: string }>(
    `select id from webhook_events e
     where created_at < now() - interval '${KEPT_DAYS} days' and not exists (
       select 1 from webhook_deliveries d where d.event_id = e.id and d.status = 'pending')
     order by created_at limit ${PRUNE_LIMIT}`,
  );
  if (rows.length > 0) {
    const ids = rows.map(({ id }) => id);
    await db.query(
      `with gone as (delete from webhook_deliveries where event_id = any($1) returning id)
       delete from webhook_attempts where delivery_id in (select id from gone)`,
      [ids],
    );
    await db.query('delete from webhook_events where id = any($1)', [ids]);
  }
  // Of an event that was written while its webhook was being deleted.
  await db.query(
    `delete from webhook_deliveries d where status = 'pending'
       and not exists (select 1 from webhooks w where w.id = d.webhook_id)`,
  );
  await db.query(
    `delete from webhooks w
     where execution_id is not null and created_at < now() - interval '${KEPT_DAYS} days'
       and not exists (select 1 from webhook_deliveries d where d.webhook_id = w.id)`,
  );
}
