// Whether a webhook's address works. Written only when that changes, and one row at a time: the row
// is also what claims of deliveries lock.
import { DISABLE_AFTER_HOURS } from '../../domain/webhook/webhook-retry.ts';
import type { Db, Queryable } from '../postgres/db.ts';

export async function noteSuccess(db: Queryable, webhookId: string): Promise<void> {
  await db.query(
    'update webhooks set failing_since = null where id = $1 and failing_since is not null',
    [webhookId],
  );
}

/** Switches a webhook off, and gives up what waits for it. */
async function disable(db: Db, webhookId: string, reason: string, when: string): Promise<boolean> {
  return db.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update webhooks set status = 'disabled', disabled_reason = $2
       where id = $1 and status <> 'disabled' and ${when}`,
      [webhookId, reason],
    );
    if (rowCount === 0) return false;
    await tx.query(
      `update webhook_deliveries set status = 'failed', ended_at = now() where id in (
         select id from webhook_deliveries where webhook_id = $1 and status = 'pending'
         order by id for update)`,
      [webhookId],
    );
    return true;
  });
}

/** True when the webhook was switched off, because there was nothing but failures for days. */
export async function noteFailure(db: Db, webhookId: string, failing: boolean): Promise<boolean> {
  if (!failing) {
    await db.query(
      'update webhooks set failing_since = now() where id = $1 and failing_since is null',
      [webhookId],
    );
    return false;
  }
  const reason = `Every delivery failed for ${DISABLE_AFTER_HOURS} hours.`;
  const when = `failing_since < now() - interval '${DISABLE_AFTER_HOURS} hours'`;
  const { rows } = await db.query(`select 1 from webhooks where id = $1 and ${when}`, [webhookId]);
  return rows.length > 0 && disable(db, webhookId, reason, when);
}

export async function noteGone(db: Db, webhookId: string): Promise<boolean> {
  return disable(db, webhookId, 'The receiver returned 410 Gone.', 'true');
}
