// The plans of teams. Locked before the team, whose tier they change.
import type { PlanStatus, StripePlan } from '../../domain/billing/stripe-state.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';

/** Of a team that never chose a plan, too: then it is what its tier says, since it was made. */
export interface PlanRow {
  teamId: string;
  tier: Tier;
  members: number;
  provider: 'manual' | 'stripe';
  status: PlanStatus;
  seats: number;
  anchorAt: Date;
  periodStart: Date | null;
  periodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  nextTier: Tier | null;
  nextAt: Date | null;
  isDue: boolean;
  stripeCustomerId: string | null;
  stripeSubscriptionId: string | null;
  stripeCheckoutId: string | null;
  /** By the database's clock. */
  now: Date;
}

const SELECT = `select t.id as "teamId", t.tier,
    (select count(*)::int from team_members m where m.team_id = t.id) as members,
    coalesce(s.provider, 'manual') as provider, coalesce(s.status, 'active') as status,
    coalesce(s.seats, greatest(1,
      (select count(*)::int from team_members m where m.team_id = t.id))) as seats, coalesce(s.anchor_at, t.created_at) as "anchorAt",
    s.period_start as "periodStart", s.period_end as "periodEnd",
    coalesce(s.cancel_at_period_end, false) as "cancelAtPeriodEnd",
    s.next_tier as "nextTier", s.next_at as "nextAt", coalesce(s.next_at <= now(), false) as "isDue",
    s.stripe_customer_id as "stripeCustomerId", s.stripe_subscription_id as "stripeSubscriptionId",
    s.stripe_checkout_id as "stripeCheckoutId", now() as now
  from teams t left join subscriptions s on s.team_id = t.id`;

export async function findPlan(db: Queryable, teamId: string): Promise<PlanRow | undefined> {
  const { rows } = await db.query<PlanRow>(`${SELECT} where t.id = $1 and t.deleted_at is null`, [
    teamId,
  ]);
  return rows[0];
}

/** Makes the row where there is none, and holds back others that lock it. */
export async function lockPlan(tx: Queryable, teamId: string): Promise<PlanRow | undefined> {
  await tx.query(
    `insert into subscriptions (team_id, seats, anchor_at)
     select t.id, greatest(1, (select count(*) from team_members m where m.team_id = t.id)),
       t.created_at
     from teams t where t.id = $1 and t.deleted_at is null on conflict do nothing`,
    [teamId],
  );
  await tx.query('select 1 from subscriptions where team_id = $1 for update', [teamId]);
  return findPlan(tx, teamId);
}

export async function updateManualPlan(
  tx: Queryable,
  teamId: string,
  plan: {
    seats: number;
    cancelAtPeriodEnd: boolean;
    next: { tier: Tier; at: Date } | null;
    /** Begins a new period now. */
    restart: boolean;
  },
): Promise<void> {
  await tx.query(
    `update subscriptions set provider = 'manual', status = 'active', seats = $2,
       cancel_at_period_end = $3, next_tier = $4, next_at = $5, period_start = null, period_end = null,
       anchor_at = case when $6 then now() else anchor_at end
     where team_id = $1`,
    [
      teamId,
      plan.seats,
      plan.cancelAtPeriodEnd,
      plan.next?.tier ?? null,
      plan.next?.at ?? null,
      plan.restart,
    ],
  );
}

/** An operator has decided: nothing is scheduled any more. */
export async function deleteScheduled(tx: Queryable, teamId: string): Promise<void> {
  await tx.query(
    `update subscriptions set provider = 'manual', status = 'active', next_tier = null, next_at = null,
       cancel_at_period_end = false, period_start = null, period_end = null
     where team_id = $1`,
    [teamId],
  );
}

/** Keeps the customer that was there first; returns the one that counts. */
export async function updateStripeCustomer(
  db: Queryable,
  teamId: string,
  customerId: string,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `update subscriptions set stripe_customer_id = coalesce(stripe_customer_id, $2)
     where team_id = $1 returning stripe_customer_id as id`,
    [teamId, customerId],
  );
  return rows[0]!.id;
}

/** Returns the page that was opened before. */
export async function updateStripeCheckout(
  tx: Queryable,
  teamId: string,
  checkoutId: string,
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>(
    `with before as (select team_id, stripe_checkout_id from subscriptions where team_id = $1 for update)
     update subscriptions s set stripe_checkout_id = $2 from before where s.team_id = before.team_id
     returning before.stripe_checkout_id as id`,
    [teamId, checkoutId],
  );
  return rows[0]?.id ?? null;
}

export async function findTeamOfCustomer(
  db: Queryable,
  customerId: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ team_id: string }>(
    'select team_id from subscriptions where stripe_customer_id = $1',
    [customerId],
  );
  return rows[0]?.team_id;
}

export interface SyncTicket {
  ticket: string;
  customerId: string | null;
  /** A page that may be open. */
  checkoutId: string | null;
  /** The team was deleted. */
  deleted: boolean;
  /** By the database's clock. */
  now: Date;
}

/** The number of a look at Stripe that begins now. */
export async function takeSyncTicket(
  db: Queryable,
  teamId: string,
): Promise<SyncTicket | undefined> {
  const { rows } = await db.query<SyncTicket>(
    `update subscriptions set sync_ticket = sync_ticket + 1 where team_id = $1
     returning sync_ticket::text as ticket, stripe_customer_id as "customerId",
       stripe_checkout_id as "checkoutId", now() as now, (select t.deleted_at is not null from teams t where t.id = team_id) as deleted`,
    [teamId],
  );
  return rows[0];
}

/**
 * Writes what a look at Stripe saw, unless a later one was written: that one began after this one's number
 * was taken, so it has seen whatever this one was to find. False when it was.
 */
export async function updateStripePlan(
  tx: Queryable,
  teamId: string,
  ticket: string,
  plan: StripePlan | null,
): Promise<boolean> {
  const fresh = 'team_id = $1 and synced_ticket < $2::bigint';
  if (plan === null) {
    const { rowCount } = await tx.query(
      `update subscriptions set synced_ticket = $2::bigint, synced_at = now() where ${fresh}`,
      [teamId, ticket],
    );
    return rowCount > 0;
  }
  const { rowCount } = await tx.query(
    `update subscriptions set provider = 'stripe', status = $3, seats = $4, period_start = $5,
       period_end = $6, cancel_at_period_end = $7, next_tier = $8, next_at = $9,
       stripe_subscription_id = $10, synced_ticket = $2::bigint, synced_at = now()
     where ${fresh}`,
    [
      teamId,
      ticket,
      plan.status,
      plan.seats,
      plan.periodStart,
      plan.periodEnd,
      plan.cancelAtPeriodEnd,
      plan.next?.tier ?? null,
      plan.next?.at ?? null,
      plan.subscriptionId,
    ],
  );
  return rowCount > 0;
}

/** Stripe knows of no subscription any more. False when a later look was written. */
export async function endStripePlan(
  tx: Queryable,
  teamId: string,
  ticket: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update subscriptions set status = 'canceled', cancel_at_period_end = false, next_tier = null,
       next_at = null, synced_ticket = $2::bigint, synced_at = now()
     where team_id = $1 and synced_ticket < $2::bigint`,
    [teamId, ticket],
  );
  return rowCount > 0;
}

/** Whose state may be old: events can be lost. */
export async function listUnsynced(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ team_id: string }>(
    `select s.team_id from subscriptions s join teams t on t.id = s.team_id
     where s.stripe_customer_id is not null and case when t.deleted_at is null
       then s.provider = 'stripe' and s.status <> 'canceled'
         and (s.synced_at < now() - interval '1 day'
           or (s.period_end < now() - interval '1 hour' and s.synced_at < now() - interval '1 hour'))
       else (s.status <> 'canceled' or s.stripe_checkout_id is not null)
         and (s.synced_at is null or s.synced_at < t.deleted_at
           or s.synced_at < now() - interval '1 hour') end
     order by s.synced_at nulls first limit $1`,
    [limit],
  );
  return rows.map((row) => row.team_id);
}

/** After a failure: others come first for a while. */
export async function updateSyncTried(db: Queryable, teamId: string): Promise<void> {
  await db.query('update subscriptions set synced_at = now() where team_id = $1', [teamId]);
}

/** Nothing of it is asked about any more. */
export async function endPlanOfDeleted(db: Queryable, teamId: string): Promise<void> {
  await db.query(
    `update subscriptions set status = 'canceled', cancel_at_period_end = false, next_tier = null,
       next_at = null, stripe_checkout_id = null, synced_at = now()
     where team_id = $1`,
    [teamId],
  );
}

/** Whether the plan of this team is paid for. */
export async function hasPaidPlan(db: Queryable, teamId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from subscriptions where team_id = $1 and provider = 'stripe'
       and status not in ('canceled', 'incomplete')`,
    [teamId],
  );
  return rows.length > 0;
}
