// The plan of the team that a request acts in.
import { createHash } from 'node:crypto';
import type { ChangeSubscriptionRequest, Subscription } from '../../contract/billing-api.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { periodAt } from '../../domain/billing/period.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import { findReply, takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { putDueInForce } from '../../store/billing/due-plans.ts';
import { findPlan } from '../../store/billing/subscriptions.ts';
import type { PlanRow } from '../../store/billing/subscriptions.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { noSuchTeam } from './decide.ts';
import type { BillingProvider, Once } from './provider.ts';

export interface BillingService {
  find(identity: Identity): Promise<Subscription>;
  change(
    actor: Actor,
    request: ChangeSubscriptionRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ subscription: Subscription; replayed: boolean }>;
  openPortal(actor: Actor): Promise<string>;
}

export function createBillingService(deps: {
  db: Db;
  signals: Signals;
  tiers: Tiers;
  provider: BillingProvider;
}): BillingService {
  const { db, signals, tiers, provider } = deps;

  function shown(plan: PlanRow): Subscription {
    const { tier, status, seats, cancelAtPeriodEnd, nextTier, nextAt } = plan;
    const limits = tiers[tier];
    const manual = periodAt(plan.anchorAt, plan.now);
    return {
      tier,
      status,
      seats,
      currentPeriodStart: (plan.periodStart ?? manual.start).toISOString(),
      currentPeriodEnd: (plan.periodEnd ?? manual.end).toISOString(),
      cancelAtPeriodEnd,
      scheduled: nextTier && nextAt ? { tier: nextTier, at: nextAt.toISOString() } : null,
      quota: {
        runsPerMonth: limits.runsPerMonth,
        requestsPerMinute: limits.requestsPerMinute,
        concurrentJobs: limits.concurrentJobs,
      },
      provider: plan.provider,
    };
  }

  async function read(on: Queryable, teamId: string): Promise<PlanRow> {
    const plan = await findPlan(on, teamId);
    if (plan === undefined) throw noSuchTeam();
    return plan;
  }

  /** What was due is in force before anybody reads it. */
  async function current(teamId: string): Promise<PlanRow> {
    let plan = await read(db, teamId);
    if (plan.provider === 'stripe' && plan.periodEnd !== null && plan.periodEnd <= plan.now) {
      await provider.refresh(teamId);
      plan = await read(db, teamId);
    }
    if (!plan.isDue) return plan;
    if (await db.tx((tx) => putDueInForce(tx, teamId))) signals.emit('identity', [teamId]);
    return read(db, teamId);
  }

  function onceOf({ teamId, userId }: Actor, request: object, key: string | undefined): Once {
    if (key === undefined) return { key, find: async () => undefined, keep: async () => {} };
    const text = `POST /v1/billing/subscription\n${JSON.stringify(request)}`;
    const bodyHash = createHash('sha256').update(text).digest();
    const use = { teamId, userId, key, bodyHash };
    return {
      key,
      find: (on) => findReply(on, use),
      async keep(on, answer) {
        const reply = JSON.stringify({ ...shown(await read(on, teamId)), ...answer });
        await takeIdempotencyKey(on, { ...use, resourceId: teamId, reply });
      },
    };
  }

  return {
    async find({ teamId }) {
      return shown(await current(teamId));
    },
    async change(actor, request, idempotencyKey) {
      const once = onceOf(actor, request, idempotencyKey);
      const result = await provider.change({ actor, request, once });
      if (result.kind === 'replayed') {
        return { subscription: JSON.parse(result.reply) as Subscription, replayed: true };
      }
      const { checkoutUrl } = result;
      const subscription = shown(await read(db, actor.teamId));
      return {
        subscription: checkoutUrl === undefined ? subscription : { ...subscription, checkoutUrl },
        replayed: false,
      };
    },
    openPortal: (actor) => provider.openPortal(actor),
  };
}
