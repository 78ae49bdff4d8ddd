// Whether a schedule or a trigger starts a run now. Checked in the order of what a person has to do about it: the owner
// first, then failures, then what passes by itself.
import type { Overlap, PauseReason, SkipReason } from '../../contract/start-reasons.ts';
import type { Role } from '../../contract/permissions.ts';
import { may } from '../access/identity.ts';

/** With `queue`, and nobody who takes what waits, there has to be an end. */
export const MOST_OPEN = 20;

export interface OwnerFacts {
  /** Null: not in the team. */
  role: Role | null;
  suspended: boolean;
}

export interface StartRules {
  overlap: Overlap;
  budgetUsd: number | null;
  pauseAfterFailures: number | null;
}

export interface StartFacts {
  owner: OwnerFacts;
  teamSuspended: boolean;
  /** How many of its latest runs failed, with none between them that did not. */
  failuresInARow: number;
  /** Its requests that have not ended. */
  open: readonly string[];
  spentUsd: number;
}

export type StartDecision =
  /** `maxCostUsd`: what is left of the budget. */
  | { kind: 'start'; cancel: readonly string[]; maxCostUsd: number | undefined }
  | { kind: 'skip'; reason: SkipReason }
  | { kind: 'pause'; reason: PauseReason };

/** Undefined for one who may have runs made. */
export function whyOwnerMayNot({ role, suspended }: OwnerFacts): PauseReason | undefined {
  if (role === null) return 'owner_left';
  if (suspended) return 'owner_suspended';
  return may(role, 'write') ? undefined : 'owner_role';
}

export function decideStart(rules: StartRules, facts: StartFacts): StartDecision {
  const ownerReason = whyOwnerMayNot(facts.owner);
  if (ownerReason !== undefined) return { kind: 'pause', reason: ownerReason };
  const { pauseAfterFailures: most, budgetUsd } = rules;
  if (most !== null && facts.failuresInARow >= most) return { kind: 'pause', reason: 'failures' };
  if (facts.teamSuspended) return { kind: 'skip', reason: 'team_suspended' };
  if (rules.overlap === 'skip' && facts.open.length > 0) return { kind: 'skip', reason: 'overlap' };
  if (rules.overlap === 'queue' && facts.open.length >= MOST_OPEN) {
    return { kind: 'skip', reason: 'queue_full' };
  }
  const left = budgetUsd === null ? undefined : budgetUsd - facts.spentUsd;
  if (left !== undefined && left <= 0) return { kind: 'skip', reason: 'budget' };
  const cancel = rules.overlap === 'cancel_older' ? facts.open : [];
  return { kind: 'start', cancel, maxCostUsd: left };
}

/** The smaller of what was asked for and what is left. */
export function withinBudget<Work extends { maxCostUsd?: number | undefined }>(
  work: Work,
  maxCostUsd: number | undefined,
): Work {
  if (maxCostUsd === undefined) return work;
  return { ...work, maxCostUsd: Math.min(maxCostUsd, work.maxCostUsd ?? Infinity) };
}
