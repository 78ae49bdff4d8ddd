// Plans that nobody charges for: the change is in force, or scheduled, with the answer.
import { ServiceError } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import { periodAt } from '../../domain/billing/period.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import { putDueInForce } from '../../store/billing/due-plans.ts';
import { lockPlan, updateManualPlan } from '../../store/billing/subscriptions.ts';
import type { PlanRow } from '../../store/billing/subscriptions.ts';
import { updateTeamTier } from '../../store/billing/tier-in-force.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { decided, noSuchTeam } from './decide.ts';
import type { BillingProvider, ChangeResult, PlanChange } from './provider.ts';

/** What the audit log records of a plan. */
export function auditedPlan({ tier, seats, cancelAtPeriodEnd, nextTier }: PlanRow) {
  return { tier, seats, cancelAtPeriodEnd, nextTier };
}

async function lockCurrent(tx: Queryable, teamId: string): Promise<PlanRow> {
  const plan = await lockPlan(tx, teamId);
  if (plan === undefined) throw noSuchTeam();
  if (!plan.isDue) return plan;
  await putDueInForce(tx, teamId);
  return (await lockPlan(tx, teamId))!;
}

export function createManualBilling(deps: {
  db: Db;
  signals: Signals;
  /** What a team has that pays for nothing. */
  free: Tier;
}): BillingProvider {
  async function changeInTx(
    tx: Queryable,
    { actor, request, once }: PlanChange,
  ): Promise<ChangeResult> {
    const { teamId } = actor;
    const plan = await lockCurrent(tx, teamId);
    const reply = await once.find(tx);
    if (reply !== undefined) return { kind: 'replayed', reply };
    const { tier, seats, nextTier, cancelAtPeriodEnd } = decided(plan, request, deps.free);
    // A plan that was free until now begins its first period with the change.
    const restart = plan.tier === deps.free && tier !== deps.free;
    const { end } = periodAt(plan.anchorAt, plan.now);
    const next = nextTier === null ? null : { tier: nextTier, at: end };
    await updateManualPlan(tx, teamId, { seats, cancelAtPeriodEnd, next, restart });
    await updateTeamTier(tx, teamId, tier);
    const [before, after] = [auditedPlan(plan), { tier, seats, cancelAtPeriodEnd, nextTier }];
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      const entry = { actor: auditActorOf(actor), teamId, target: teamId, before, after };
      await writeAudit(tx, { ...entry, action: 'subscription.changed' });
    }
    await once.keep(tx, {});
    return { kind: 'done' };
  }

  return {
    async change(change) {
      const result = await deps.db.tx((tx) => changeInTx(tx, change));
      deps.signals.emit('identity', [change.actor.teamId]);
      return result;
    },
    async openPortal() {
      const message = 'This server does not charge for plans, so there are no invoices to see.';
      throw new ServiceError('CONFLICT', message);
    },
    async refresh() {},
  };
}
