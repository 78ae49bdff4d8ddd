// What a team has, from what Stripe says about its customer now. Nothing else goes into it, neither events nor
// what was known before: in whatever order they arrive, the end is the same.
import { isTier } from '../job/tiers.ts';
import type { Tier } from '../job/tiers.ts';

export interface StripeSubscription {
  id: string;
  /** As Stripe names it. */
  status: string;
  createdAt: Date;
  periodStart: Date;
  periodEnd: Date;
  /** When it ends by request; null while it continues. */
  cancelAt: Date | null;
  /** On a day that was chosen at Stripe, not with the period. */
  endsOnDate: boolean;
  itemId: string;
  priceId: string;
  quantity: number;
  metadata: Readonly<Record<string, string>>;
}

export const PLAN_STATUSES = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'incomplete',
  'paused',
  'canceled',
] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

export interface StripePlan {
  subscriptionId: string;
  status: PlanStatus;
  tier: Tier;
  next: { tier: Tier; at: Date } | null;
  seats: number;
  periodStart: Date;
  periodEnd: Date;
  cancelAtPeriodEnd: boolean;
}

export type StripeState =
  | { kind: 'plan'; plan: StripePlan }
  /** Nothing was ever paid for. */
  | { kind: 'none' }
  /** A price that the settings do not know: what the team has stays, because it pays for it. */
  | { kind: 'unknown_price'; priceId: string };

/** Of several, the one that gives most counts. */
const BEST_FIRST: readonly string[] = [
  'active',
  'trialing',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
];
const PAID: readonly string[] = ['active', 'trialing', 'past_due'];

/** Whether it can be changed; an ended one cannot come back. */
export function isLive(status: string): boolean {
  return PAID.includes(status) || status === 'unpaid' || status === 'paused';
}

/** A subscription of this customer that names another team was not made by us. */
export function bestSubscription(
  teamId: string,
  subscriptions: readonly StripeSubscription[],
): StripeSubscription | undefined {
  return subscriptions
    .filter(({ status }) => BEST_FIRST.includes(status))
    .filter(({ metadata }) => (metadata['teamId'] ?? teamId) === teamId)
    .toSorted(
      (a, b) =>
        BEST_FIRST.indexOf(a.status) - BEST_FIRST.indexOf(b.status) ||
        b.createdAt.getTime() - a.createdAt.getTime() ||
        (a.id < b.id ? -1 : 1),
    )[0];
}

/** A higher tier that is paid for until then: the price is the next period's already. */
function heldTier({ metadata }: StripeSubscription, now: Date): { tier: Tier; until: Date } | null {
  const { heldTier: tier = '', heldUntil = '' } = metadata;
  const until = new Date(Number(heldUntil) * 1000);
  return isTier(tier) && tier !== 'enterprise' && until > now ? { tier, until } : null;
}

export function stripeState(
  teamId: string,
  subscriptions: readonly StripeSubscription[],
  world: { prices: Readonly<Record<string, Tier>>; free: Tier; now: Date },
): StripeState {
  const best = bestSubscription(teamId, subscriptions);
  if (best === undefined) return { kind: 'none' };
  const priced = world.prices[best.priceId];
  if (priced === undefined) return { kind: 'unknown_price', priceId: best.priceId };
  const { periodStart, periodEnd, cancelAt } = best;
  const common = {
    subscriptionId: best.id,
    status: best.status as PlanStatus,
    seats: Math.max(1, best.quantity),
    periodStart,
    periodEnd,
    cancelAtPeriodEnd: cancelAt !== null && PAID.includes(best.status),
  };
  const held = heldTier(best, world.now);
  const ends = common.cancelAtPeriodEnd || !PAID.includes(best.status);
  const tier = held?.tier ?? priced;
  if (!ends) {
    const next = held === null ? null : { tier: priced, at: held.until };
    return { kind: 'plan', plan: { ...common, tier, next } };
  }
  // What was paid for lasts until the end of its period, whatever ended it.
  const at = (common.cancelAtPeriodEnd ? cancelAt : null) ?? periodEnd;
  const isOver = at <= world.now;
  const plan = isOver ? { tier: world.free, next: null } : { tier, next: { tier: world.free, at } };
  return { kind: 'plan', plan: { ...common, ...plan } };
}
