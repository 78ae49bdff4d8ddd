// Keeps plans as Stripe has them. An event only says where to look: what is written is what Stripe answers when
// it is asked, so that events may come late, twice, in any order or not at all.
import { SYSTEM } from '../../domain/access/actor.ts';
import { stripeState } from '../../domain/billing/stripe-state.ts';
import type { StripeState, StripeSubscription } from '../../domain/billing/stripe-state.ts';
import { isLive } from '../../domain/billing/stripe-state.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Logger } from '../../platform/log.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import { hasStripeEvent, insertStripeEvent } from '../../store/billing/stripe-events.ts';
import {
  endPlanOfDeleted,
  endStripePlan,
  findTeamOfCustomer,
  listUnsynced,
  lockPlan,
  takeSyncTicket,
  updateStripePlan,
  updateSyncTried,
} from '../../store/billing/subscriptions.ts';
import type { PlanRow } from '../../store/billing/subscriptions.ts';
import { updateTeamTier } from '../../store/billing/tier-in-force.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { auditedPlan } from './manual-billing.ts';
import type { StripeApi } from './stripe-api.ts';

export interface StripeSync {
  /** Writes what Stripe says now; returns the subscriptions of the team's customer. */
  sync(teamId: string): Promise<StripeSubscription[]>;
  /** An event, as Stripe sent it. */
  receive(body: Buffer, signature: string | undefined): Promise<void>;
  /** Looks at plans whose events may have been lost. */
  resync(): Promise<void>;
}

const RESYNC_AT_ONCE = 20;

export function createStripeSync(deps: {
  db: Db;
  signals: Signals;
  log: Logger;
  api: StripeApi;
  prices: Readonly<Record<string, Tier>>;
  free: Tier;
}): StripeSync {
  const { db, signals, log, api, prices, free } = deps;

  /** The tier that follows from what Stripe said; undefined when it changes nothing. */
  async function writeState(
    tx: Queryable,
    before: PlanRow,
    ticket: string,
    state: StripeState,
  ): Promise<Tier | undefined> {
    const { teamId } = before;
    if (state.kind === 'plan') {
      const { plan } = state;
      // It ended, and the team was given another plan since.
      const isLeft =
        before.provider === 'manual' &&
        before.stripeSubscriptionId === plan.subscriptionId &&
        !isLive(plan.status);
      const wrote = await updateStripePlan(tx, teamId, ticket, isLeft ? null : plan);
      return wrote && !isLeft ? plan.tier : undefined;
    }
    if (state.kind === 'none' && before.provider === 'stripe') {
      return (await endStripePlan(tx, teamId, ticket)) ? free : undefined;
    }
    if (state.kind === 'unknown_price') {
      log.error({ teamId, priceId: state.priceId }, 'a team pays a price that is no tier; add it');
    }
    await updateStripePlan(tx, teamId, ticket, null);
    return undefined;
  }

  async function write(tx: Queryable, teamId: string, ticket: string, state: StripeState) {
    const before = await lockPlan(tx, teamId);
    if (before === undefined) return;
    const tier = await writeState(tx, before, ticket, state);
    if (tier === undefined) return;
    await updateTeamTier(tx, teamId, tier);
    const after = (await lockPlan(tx, teamId))!;
    const [was, is] = [auditedPlan(before), auditedPlan(after)].map((plan) => ({ ...plan }));
    const status = { before: before.status, after: after.status };
    if (JSON.stringify(was) === JSON.stringify(is) && status.before === status.after) return;
    await writeAudit(tx, {
      action: 'subscription.synced',
      actor: SYSTEM,
      teamId,
      target: teamId,
      before: { ...was, status: status.before },
      after: { ...is, status: status.after },
    });
  }

  /** Nobody uses what a deleted team pays for, and nobody can cancel it any more. */
  async function endDeleted(
    teamId: string,
    checkoutId: string | null,
    subscriptions: readonly StripeSubscription[],
  ) {
    for (const { id, status, metadata } of subscriptions) {
      if (isLive(status) && (metadata['teamId'] ?? teamId) === teamId) {
        await api.cancelSubscription(id);
      }
    }
    if (checkoutId !== null) await api.expireCheckout(checkoutId);
    await endPlanOfDeleted(db, teamId);
  }

  async function sync(teamId: string, eventId?: string): Promise<StripeSubscription[]> {
    const taken = await takeSyncTicket(db, teamId);
    if (taken === undefined || taken.customerId === null) return [];
    const subscriptions = await api.listSubscriptions(taken.customerId);
    if (taken.deleted) {
      await endDeleted(teamId, taken.checkoutId, subscriptions);
      if (eventId !== undefined) await insertStripeEvent(db, eventId);
      return [];
    }
    const state = stripeState(teamId, subscriptions, { prices, free, now: taken.now });
    await db.tx(async (tx) => {
      await write(tx, teamId, taken.ticket, state);
      if (eventId !== undefined) await insertStripeEvent(tx, eventId);
    });
    signals.emit('identity', [teamId]);
    return subscriptions;
  }

  return {
    sync: (teamId) => sync(teamId),
    async receive(body, signature) {
      const event = api.readEvent(body, signature);
      if (event.customerId === undefined || (await hasStripeEvent(db, event.id))) return;
      // Only customers that we made belong to a team, whatever the event says about itself.
      const teamId = await findTeamOfCustomer(db, event.customerId);
      if (teamId !== undefined) await sync(teamId, event.id);
    },
    async resync() {
      for (const teamId of await listUnsynced(db, RESYNC_AT_ONCE)) {
        try {
          await sync(teamId);
        } catch (error) {
          log.warn({ err: error, teamId }, 'cannot ask Stripe about a plan; trying again later');
          await updateSyncTried(db, teamId);
        }
      }
    },
  };
}
