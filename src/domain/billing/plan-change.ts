// What becomes of a plan when its owner asks for another. A request says what is wanted from now on, so it
// replaces whatever was scheduled before: more is in force at once, less when the period ends.
import { TIER_NAMES } from '../job/tiers.ts';
import type { Tier } from '../job/tiers.ts';

export interface PlanRequest {
  tier: Tier;
  seats?: number | undefined;
  cancelAtPeriodEnd?: boolean | undefined;
}

export interface CurrentPlan {
  /** In force now. */
  tier: Tier;
  seats: number;
  /** Active members of the team: each needs a seat. */
  members: number;
}

export type PlanDecision =
  | { kind: 'refused'; why: 'enterprise' | 'seats' | 'nothing_to_cancel' | 'change_and_cancel' }
  | {
      kind: 'change';
      /** In force from now on. */
      tier: Tier;
      seats: number;
      /** In force when the period ends. */
      nextTier: Tier | null;
      cancelAtPeriodEnd: boolean;
    };

export function rankOf(tier: Tier): number {
  return TIER_NAMES.indexOf(tier);
}

/** What a team has that pays for nothing. Enterprise is agreed with the operator, never fallen back to. */
export function freeTier(defaultTier: Tier): Tier {
  return defaultTier === 'enterprise' ? 'trial' : defaultTier;
}

export function decideChange(plan: CurrentPlan, request: PlanRequest, free: Tier): PlanDecision {
  // Who has it may cancel it or take that back; nobody gets it this way.
  const keeps = plan.tier === 'enterprise' && request.cancelAtPeriodEnd !== undefined;
  if (request.tier === 'enterprise' && !keeps) return { kind: 'refused', why: 'enterprise' };
  const seats = request.seats ?? Math.max(plan.seats, plan.members);
  if (seats < plan.members) return { kind: 'refused', why: 'seats' };
  if (request.cancelAtPeriodEnd === true) {
    if (request.tier !== plan.tier) return { kind: 'refused', why: 'change_and_cancel' };
    if (plan.tier === free) return { kind: 'refused', why: 'nothing_to_cancel' };
    return { kind: 'change', tier: plan.tier, seats, nextTier: free, cancelAtPeriodEnd: true };
  }
  const isLess = rankOf(request.tier) < rankOf(plan.tier);
  return {
    kind: 'change',
    tier: isLess ? plan.tier : request.tier,
    seats,
    nextTier: isLess ? request.tier : null,
    cancelAtPeriodEnd: false,
  };
}
