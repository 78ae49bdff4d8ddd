import type { Queryable } from '../postgres/db.ts';

export interface WebhookBacklog {
  pending: number;
  failing: number;
  oldestAt: Date | null;
}

/** What is still to be sent, on the whole server. */
export async function findWebhookBacklog(db: Queryable): Promise<WebhookBacklog> {
  const { rows } = await db.query<WebhookBacklog>(
    `select count(*)::int as pending, (count(*) filter (where tries > 0))::int as failing,
       min(created_at) as "oldestAt"
     from webhook_deliveries where status = 'pending'`,
  );
  return rows[0]!;
}
