// Plans that are paid for with Stripe. What Stripe has counts: it is asked before a change and after it.
import { ServiceError, invalid } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import { rankOf } from '../../domain/billing/plan-change.ts';
import { bestSubscription, isLive } from '../../domain/billing/stripe-state.ts';
import type { StripeSubscription } from '../../domain/billing/stripe-state.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Logger } from '../../platform/log.ts';
import { listServerTeams } from '../../store/accounts/server-accounts.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import {
  findPlan,
  lockPlan,
  updateStripeCheckout,
  updateStripeCustomer,
} from '../../store/billing/subscriptions.ts';
import type { PlanRow } from '../../store/billing/subscriptions.ts';
import type { Db } from '../../store/postgres/db.ts';
import { decided, noSuchTeam } from './decide.ts';
import type { DecidedChange } from './decide.ts';
import type { BillingProvider, ChangeResult, PlanChange } from './provider.ts';
import type { StripeApi, SubscriptionChange } from './stripe-api.ts';
import type { StripeSync } from './stripe-sync.ts';

export function createStripeBilling(deps: {
  db: Db;
  log: Logger;
  api: StripeApi;
  sync: StripeSync;
  prices: Readonly<Record<string, Tier>>;
  free: Tier;
  /** For changes that cost nothing. */
  manual: BillingProvider;
}): BillingProvider {
  const { db, log, api, sync, prices, free, manual } = deps;

  function priceOf(tier: Tier): string {
    const found = Object.entries(prices).find(([, sold]) => sold === tier);
    if (found !== undefined) return found[0];
    throw invalid('tier', 'TIER_NOT_OFFERED', `The plan ${tier} is not for sale on this server.`);
  }

  async function read(teamId: string): Promise<PlanRow> {
    const plan = await findPlan(db, teamId);
    if (plan === undefined) throw noSuchTeam();
    return plan;
  }

  async function customerOf(plan: PlanRow): Promise<string> {
    if (plan.stripeCustomerId !== null) return plan.stripeCustomerId;
    const { teamId } = plan;
    await db.tx((tx) => lockPlan(tx, teamId));
    const [team] = await listServerTeams(db, { id: teamId, limit: 1 });
    const { name = '', ownerEmail = null } = team ?? {};
    const customerId = await api.createCustomer({ id: teamId, name, email: ownerEmail });
    return updateStripeCustomer(db, teamId, customerId);
  }

  async function checkOut(
    { actor, request, once }: PlanChange,
    plan: PlanRow,
    seats: number,
  ): Promise<ChangeResult> {
    const { teamId } = actor;
    const priceId = priceOf(request.tier);
    const customerId = await customerOf(plan);
    const key = once.key && `millrace-checkout-${teamId}-${once.key}`;
    const order = { teamId, customerId, priceId, seats };
    const { id, url: checkoutUrl } = await api.createCheckout(order, key);
    const older = await db.tx(async (tx) => {
      await once.keep(tx, { checkoutUrl });
      return updateStripeCheckout(tx, teamId, id);
    });
    // An older page would let a user pay for a second subscription.
    if (older !== null && older !== id) await api.expireCheckout(older);
    return { kind: 'done', checkoutUrl };
  }

  /**
   * One after the other, because Stripe charges for the difference between two states as a whole. What is paid for
   * until the end of the period comes back without a charge, even where the price is the next period's already; seats
   * that are added are charged for at the price that is paid now; a lower price costs and credits nothing.
   */
  function changesOf(
    plan: PlanRow,
    subscription: StripeSubscription,
    decision: DecidedChange,
  ): SubscriptionChange[] {
    const { tier, seats: quantity, nextTier } = decision;
    // The price is lower than what is paid for until the end of the period.
    const isHeld =
      prices[subscription.priceId] !== plan.tier && Object.values(prices).includes(plan.tier);
    const cancelAtPeriodEnd = decision.cancelAtPeriodEnd || nextTier === free;
    const addsSeats = tier === plan.tier && quantity > subscription.quantity;
    const comesBack = isHeld && (addsSeats || nextTier === null);
    const priceId = isHeld ? priceOf(plan.tier) : subscription.priceId;
    const paid = { priceId, quantity, cancelAtPeriodEnd, prorate: false, held: null };
    const changes: SubscriptionChange[] = [
      ...(comesBack ? [{ ...paid, quantity: subscription.quantity }] : []),
      ...(addsSeats ? [{ ...paid, prorate: true }] : []),
    ];
    const held = { tier: plan.tier, until: subscription.periodEnd };
    if (cancelAtPeriodEnd) {
      const staysLow = { priceId: subscription.priceId, held };
      return [...changes, { ...paid, ...(isHeld && !comesBack ? staysLow : {}) }];
    }
    if (nextTier !== null) return [...changes, { ...paid, priceId: priceOf(nextTier), held }];
    if (addsSeats) return changes;
    const prorate = tier !== plan.tier || quantity !== subscription.quantity;
    return [...changes, { ...paid, priceId: priceOf(tier), prorate }];
  }

  async function update(
    { actor, once }: PlanChange,
    plan: PlanRow,
    subscription: StripeSubscription,
    decision: DecidedChange,
  ): Promise<ChangeResult> {
    const { teamId } = actor;
    for (const change of changesOf(plan, subscription, decision)) {
      // After a failure between two of them, those that are left are others.
      const key = once.key && `millrace-change-${teamId}-${once.key}-${JSON.stringify(change)}`;
      await api.updateSubscription(subscription, change, key);
    }
    const { kind: _, ...after } = decision;
    const entry = { actor: auditActorOf(actor), teamId, target: teamId, after };
    await writeAudit(db, { ...entry, action: 'subscription.changed' });
    await sync.sync(teamId);
    await once.keep(db, {});
    return { kind: 'done' };
  }

  /** A plan that ended at Stripe lasts until its period does; only a payment makes it last longer. */
  async function changeEnded(
    change: PlanChange,
    plan: PlanRow,
    decision: DecidedChange,
  ): Promise<ChangeResult> {
    const { tier } = change.request;
    if (tier !== free && !decision.cancelAtPeriodEnd) return checkOut(change, plan, decision.seats);
    await change.once.keep(db, {});
    return { kind: 'done' };
  }

  return {
    async change(change) {
      const { teamId } = change.actor;
      const reply = await change.once.find(db);
      if (reply !== undefined) return { kind: 'replayed', reply };
      // A user may have paid a moment ago, and the event is still under way.
      const subscriptions = await sync.sync(teamId);
      const plan = await read(teamId);
      const decision = decided(plan, change.request, free);
      const best = bestSubscription(teamId, subscriptions);
      if (best !== undefined && isLive(best.status)) return update(change, plan, best, decision);
      if (plan.provider === 'stripe') return changeEnded(change, plan, decision);
      // What an operator has given may be lowered without Stripe.
      const isMore = rankOf(change.request.tier) > rankOf(plan.tier);
      return isMore ? checkOut(change, plan, decision.seats) : manual.change(change);
    },
    async openPortal({ teamId }) {
      const { stripeCustomerId } = await read(teamId);
      if (stripeCustomerId !== null) return api.createPortal(stripeCustomerId);
      const message = 'This team has not paid for a plan yet, so there are no invoices to see.';
      throw new ServiceError('CONFLICT', message);
    },
    async refresh(teamId) {
      try {
        await sync.sync(teamId);
      } catch (error) {
        log.warn({ err: error, teamId }, 'cannot ask Stripe about a plan; what is known is shown');
      }
    },
  };
}
