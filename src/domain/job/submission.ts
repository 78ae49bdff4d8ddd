// Decides a batch of submits that share one transaction. Each submit gets its own outcome, in the
// order of arrival, as if they had come one after the other.
import { capsOf } from '../usage/run-caps.ts';
import type { CapState, RunCap } from '../usage/run-caps.ts';
import { remainingUsd, reserve } from '../usage/reservation.ts';
import type { Budget, Reservation } from '../usage/reservation.ts';
import type { TeamBudget } from '../usage/team-budget.ts';
import { isModelAllowed } from '../model/allowed-models.ts';
import { runKeyText } from '../run/run-key.ts';
import { nextPlace } from './fair-queue.ts';

export interface Submission {
  jobId: string;
  /** Can be taken only after this time. */
  delayMs?: number;
  /** The transaction that accepts it may yet end it: no worker must have it before the commit. */
  mayEndAtOnce?: boolean;
  /** Who pays, and whose place in the queue it takes. */
  teamId: string;
  userId: string;
  /** The run the caller named; without one the job is a run of its own, and a call belongs to none. */
  runId: string | undefined;
  streamId: string;
  model: string;
  /** A call that the process which accepts it makes itself: it starts now or not at all. */
  isCall?: boolean;
  priority: number;
  runsPerMonth: number | null;
  concurrentJobs: number | null;
  idempotency: { key: string; bodyHash: Buffer } | undefined;
  /** It takes nothing of the quota, whatever its run has taken. */
  free?: boolean;
  /** The most that its call can cost; null for an unknown price. Only asked where there is a limit. */
  largestCostUsd(): number | null;
  /**
   * Of a call that is cut off when it has used up what was reserved: with this it can begin, and what is left up to its
   * largest cost is reserved. Null for an unknown price.
   */
  leastCostUsd?(): number | null;
  /** Part of what was accepted before: who started it may have left the team since. */
  isStep?: boolean;
}

export type SubmitOutcome =
  | { kind: 'accepted'; jobId: string; reservedUsd?: number }
  | { kind: 'replayed'; jobId: string }
  | { kind: 'key_reused' }
  | { kind: 'quota_exceeded'; used: number; limit: number }
  /** `costUsd` is null when the price is not known, so that no budget could be kept. */
  | { kind: 'budget_exceeded'; budget: TeamBudget; costUsd: number | null }
  /** The same of the run or of the stream. */
  | { kind: 'cap_exceeded'; cap: RunCap; costUsd: number | null }
  /** What the team's settings say about models, and about the cost of one call. */
  | { kind: 'model_forbidden'; allowed: readonly string[] }
  | { kind: 'too_dear'; limitUsd: number; costUsd: number | null }
  /** A call for which the team has no place now. */
  | { kind: 'no_place' }
  /** The team was deleted, or the user has lost the right to submit, since the caller was looked up. */
  | { kind: 'team_deleted' }
  | { kind: 'not_allowed' };

export interface TeamState {
  teamId: string;
  inQueue: number;
  /** When the team's line is over, in virtual time. */
  finishTime: number;
  runsCounted: number;
  /** Who may submit; undefined when nobody has left for so long that every caller is known to. */
  writers: ReadonlySet<string> | undefined;
  /** Undefined: it may spend what it wants. */
  budget: TeamBudget | undefined;
  /** Patterns of models; null: all. */
  allowedModels: readonly string[] | null;
  maxCallCostUsd: number | null;
}

export interface KnownRun {
  /** It has its place in the quota of this month, and still goes. */
  counted: boolean;
  /** Some of its jobs ended so long ago that they were moved away. */
  hasMoved?: boolean;
}

export interface BatchState {
  teams: Map<string, TeamState>;
  /** Answers already given, by `keyOf`. */
  keys: Map<string, { bodyHash: Buffer; jobId: string }>;
  /** The runs that the submits name and that exist, by `runKeyText`. */
  runs: Map<string, KnownRun>;
  /** Of these runs and their streams. */
  caps: CapState;
  clock: number;
}

export interface AcceptedJob {
  index: number;
  parked: boolean;
  /** It is given to a worker as it is accepted. */
  startsNow: boolean;
  /** Its place in the line; undefined when it is not in the line. */
  virtualTime: number | undefined;
  /** The job opens a run: one that the caller named and that is new, or one of its own. */
  opensRun: boolean;
  /** The run takes its place in the quota with this job. */
  counts: boolean;
  /** Reserved from the team's budget and from the caps of its run and stream; undefined when there are none. */
  reservedUsd: number | undefined;
}

export interface BatchDecision {
  outcomes: SubmitOutcome[];
  accepted: AcceptedJob[];
}

/** A caller is a user in a team. */
export function keyOf({ teamId, userId }: { teamId: string; userId: string }, key: string): string {
  return `${teamId} ${userId} ${key}`;
}

type Refusal = Extract<
  SubmitOutcome,
  { kind: 'budget_exceeded' | 'cap_exceeded' | 'model_forbidden' | 'too_dear' }
>;

interface Limits {
  team: TeamState;
  caps: readonly RunCap[];
}

/** What is left where there is least of it. */
function leastLeft(budgets: readonly Budget[]): number {
  return Math.min(...budgets.map(remainingUsd));
}

/** What must be reserved of each limit, or the limit that has no room for it; undefined: nothing is limited. */
function decideCost(
  submission: Submission,
  { team, caps }: Limits,
): { costUsd: number | null } | Refusal | undefined {
  const { budget, maxCallCostUsd } = team;
  const budgets = [...(budget === undefined ? [] : [budget]), ...caps];
  if (budgets.length === 0 && maxCallCostUsd === null) return undefined;
  let costUsd = submission.largestCostUsd();
  const least = submission.leastCostUsd?.();
  if (costUsd !== null && least != null && least > 0) {
    const room = Math.min(leastLeft(budgets), maxCallCostUsd ?? Infinity);
    if (least <= room) costUsd = Math.min(costUsd, room);
  }
  if (maxCallCostUsd !== null && (costUsd === null || costUsd > maxCallCostUsd)) {
    return { kind: 'too_dear', limitUsd: maxCallCostUsd, costUsd };
  }
  return { costUsd };
}

/** Reserves in all of them or in none. */
function reserveAll(
  costUsd: number | null,
  { team: { budget }, caps }: Limits,
): Reservation | Refusal | undefined {
  const made: Reservation[] = [];
  const giveBack = (refusal: Refusal) => {
    for (const one of made) one.release();
    return refusal;
  };
  for (const cap of caps) {
    const reservation = reserve(cap, costUsd);
    if (!reservation) return giveBack({ kind: 'cap_exceeded', cap: { ...cap }, costUsd });
    made.push(reservation);
  }
  if (budget !== undefined) {
    const reservation = reserve(budget, costUsd);
    if (!reservation) return giveBack({ kind: 'budget_exceeded', budget: { ...budget }, costUsd });
    made.push(reservation);
  }
  return made[0];
}

/**
 * Updates `state` as the submits are accepted: what is left in it is what must be written. `slots`: so
 * many jobs can start at once, because nobody waits. `mayCall`: the process that asks is a node, so a call that it dies
 * with is found.
 */
export function decideSubmits(
  submissions: readonly Submission[],
  state: BatchState,
  { slots = 0, mayCall = true }: { slots?: number; mayCall?: boolean } = {},
): BatchDecision {
  const accepted: AcceptedJob[] = [];
  let free = slots;
  const outcomes = submissions.map((submission, index): SubmitOutcome => {
    const team = state.teams.get(submission.teamId);
    if (team === undefined) return { kind: 'team_deleted' };
    if (submission.isStep !== true && team.writers?.has(submission.userId) === false) {
      return { kind: 'not_allowed' };
    }

    const { idempotency } = submission;
    if (idempotency) {
      const known = state.keys.get(keyOf(submission, idempotency.key));
      if (known) {
        return known.bodyHash.equals(idempotency.bodyHash)
          ? { kind: 'replayed', jobId: known.jobId }
          : { kind: 'key_reused' };
      }
    }

    const { teamId, runId } = submission;
    const named = runId === undefined ? undefined : runKeyText({ teamId, runId });
    const run = named === undefined ? undefined : state.runs.get(named);
    const isCall = submission.isCall === true;
    const hasRun = !isCall || named !== undefined;
    // A run may be there without counting: recorded by a client, planned by a dry run, cancelled while
    // pending, ended, or counted in another month. It counts with the first job that joins it.
    const counts = hasRun && run?.counted !== true && submission.free !== true;
    const limit = submission.runsPerMonth;
    if (counts && limit !== null && team.runsCounted >= limit) {
      return { kind: 'quota_exceeded', used: team.runsCounted, limit };
    }

    const { allowedModels } = team;
    if (allowedModels !== null && !isModelAllowed(allowedModels, submission.model)) {
      return { kind: 'model_forbidden', allowed: allowedModels };
    }
    const isFull = submission.concurrentJobs !== null && team.inQueue >= submission.concurrentJobs;
    if (isCall && (isFull || !mayCall)) return { kind: 'no_place' };
    const limits = { team, caps: capsOf(state.caps, submission) };
    const cost = decideCost(submission, limits);
    if (cost !== undefined && 'kind' in cost) return cost;
    const reservation = cost && reserveAll(cost.costUsd, limits);
    if (reservation !== undefined && 'kind' in reservation) return reservation;
    const reservedUsd = reservation?.amountUsd;

    const parked = isFull;
    const canStart = (submission.delayMs ?? 0) === 0 && submission.mayEndAtOnce !== true;
    const startsNow = isCall || (!parked && free > 0 && canStart);
    if (startsNow && !isCall) free -= 1;
    // A parked job takes its place in line when it is let in, not now. One that starts at once goes
    // before nobody, so it moves its team's line no further.
    const waits = !parked && !startsNow;
    const virtualTime = waits ? nextPlace(state.clock, team.finishTime) : undefined;
    if (virtualTime !== undefined) team.finishTime = virtualTime + 1;
    accepted.push({
      index,
      parked,
      startsNow,
      virtualTime,
      opensRun: hasRun && run === undefined,
      counts,
      reservedUsd,
    });

    if (!parked && submission.concurrentJobs !== null) team.inQueue += 1;
    if (counts) team.runsCounted += 1;
    if (named !== undefined) {
      const counted = counts || run?.counted === true;
      state.runs.set(named, { ...run, counted });
    }
    if (idempotency) {
      state.keys.set(keyOf(submission, idempotency.key), {
        bodyHash: idempotency.bodyHash,
        jobId: submission.jobId,
      });
    }
    return {
      kind: 'accepted',
      jobId: submission.jobId,
      ...(isCall && reservedUsd !== undefined && { reservedUsd }),
    };
  });
  return { outcomes, accepted };
}
