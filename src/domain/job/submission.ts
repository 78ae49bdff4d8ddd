// Decides a batch of submits that share one transaction. Each submit gets its own outcome, in the
// order of arrival, as if they had come one after the other.
import { reserve } from '../usage/reservation.ts';
import type { TeamBudget } from '../usage/team-budget.ts';
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
  /** The run the caller named; without one the job is a run of its own. */
  runId: string | undefined;
  priority: number;
  runsPerMonth: number | null;
  concurrentJobs: number | null;
  idempotency: { key: string; bodyHash: Buffer } | undefined;
  /** It takes nothing of the quota, whatever its run has taken. */
  free?: boolean;
  /** The most that its call can cost; null for an unknown price. Only asked where there is a budget. */
  largestCostUsd(): number | null;
  /** Part of what was accepted before: who started it may have left the team since. */
  isStep?: boolean;
}

export type SubmitOutcome =
  | { kind: 'accepted'; jobId: string }
  | { kind: 'replayed'; jobId: string }
  | { kind: 'key_reused' }
  | { kind: 'quota_exceeded'; used: number; limit: number }
  /** `costUsd` is null when the price is not known, so that no budget could be kept. */
  | { kind: 'budget_exceeded'; budget: TeamBudget; costUsd: number | null }
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
  /** Reserved from the team's budget; undefined when it has none. */
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

/**
 * Updates `state` as the submits are accepted: what is left in it is what must be written. `slots`: so
 * many jobs can start at once, because nobody waits.
 */
export function decideSubmits(
  submissions: readonly Submission[],
  state: BatchState,
  slots = 0,
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
    const opensRun = run === undefined;
    // A run may be there without counting: recorded by a client, planned by a dry run, cancelled while
    // pending, ended, or counted in another month. It counts with the first job that joins it.
    const counts = run?.counted !== true && submission.free !== true;
    const limit = submission.runsPerMonth;
    if (counts && limit !== null && team.runsCounted >= limit) {
      return { kind: 'quota_exceeded', used: team.runsCounted, limit };
    }

    const { budget } = team;
    let reservedUsd: number | undefined;
    if (budget !== undefined) {
      const costUsd = submission.largestCostUsd();
      const reservation = reserve(budget, costUsd);
      if (reservation === undefined) {
        return { kind: 'budget_exceeded', budget: { ...budget }, costUsd };
      }
      reservedUsd = reservation.amountUsd;
    }

    const parked = submission.concurrentJobs !== null && team.inQueue >= submission.concurrentJobs;
    const canStart = (submission.delayMs ?? 0) === 0 && submission.mayEndAtOnce !== true;
    const startsNow = !parked && free > 0 && canStart;
    if (startsNow) free -= 1;
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
      opensRun,
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
    return { kind: 'accepted', jobId: submission.jobId };
  });
  return { outcomes, accepted };
}
