// The decision about a change of plan, or why there is none.
import { ServiceError, invalid } from '../../contract/errors.ts';
import { decideChange } from '../../domain/billing/plan-change.ts';
import type { PlanDecision, PlanRequest } from '../../domain/billing/plan-change.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { PlanRow } from '../../store/billing/subscriptions.ts';

export type DecidedChange = Extract<PlanDecision, { kind: 'change' }>;

export function noSuchTeam(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is no team with this id.');
}

export function decided(plan: PlanRow, request: PlanRequest, free: Tier): DecidedChange {
  const decision = decideChange(plan, request, free);
  if (decision.kind === 'change') return decision;
  switch (decision.why) {
    case 'enterprise': {
      const message =
        'The enterprise plan is agreed with the operator of this server. Contact them.';
      throw invalid('tier', 'TIER_NOT_OFFERED', message);
    }
    case 'change_and_cancel': {
      const message = `cancelAtPeriodEnd cancels the current plan, ${plan.tier}. Send that tier, or change the plan instead.`;
      throw invalid('cancelAtPeriodEnd', 'CHANGE_AND_CANCEL', message);
    }
    case 'nothing_to_cancel':
      throw new ServiceError('CONFLICT', `There is nothing to cancel: ${plan.tier} is free.`);
    case 'seats': {
      const message = `The team has ${plan.members} members, and each needs a seat. Remove members first, or ask for more seats.`;
      throw new ServiceError('CONFLICT', message, { details: { members: plan.members } });
    }
  }
}
