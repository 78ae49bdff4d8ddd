// Events of Stripe that were dealt with.
import type { Queryable } from '../postgres/db.ts';

export async function hasStripeEvent(db: Queryable, eventId: string): Promise<boolean> {
  const { rows } = await db.query('select 1 from stripe_events where id = $1', [eventId]);
  return rows.length > 0;
}

/** Stripe sends an event again for three days at most. */
export async function insertStripeEvent(tx: Queryable, eventId: string): Promise<void> {
  await tx.query('insert into stripe_events (id) values ($1) on conflict do nothing', [eventId]);
  await tx.query(`delete from stripe_events where received_at < now() - interval '30 days'`);
}
