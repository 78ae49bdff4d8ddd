// Decides a batch of submits that share one transaction. Each submit gets its own outcome, in the
// order of arrival, as if they had come one after the other.
import { takeVirtualTime } from './fair-queue.ts';

export interface Submission {
  jobId: string;
  userId: string;
  /** The run the caller named; without one the job is a run of its own. */
  runId: string | undefined;
  priority: number;
  runsPerMonth: number | null;
  concurrentJobs: number | null;
  idempotency: { key: string; bodyHash: Buffer } | undefined;
  /** A run that it opens takes nothing of the quota. */
  free?: boolean;
}

export type SubmitOutcome =
  | { kind: 'accepted'; jobId: string }
  | { kind: 'replayed'; jobId: string }
  | { kind: 'key_reused' }
  | { kind: 'run_forbidden' }
  | { kind: 'quota_exceeded'; used: number; limit: number };

export interface UserState {
  userId: string;
  inQueue: number;
  finishTimes: number[];
  runsCounted: number;
}

export interface BatchState {
  users: Map<string, UserState>;
  /** Answers already given, by `keyOf`. */
  keys: Map<string, { bodyHash: Buffer; jobId: string }>;
  /** Owners of the runs that the submits name and that exist. */
  runOwners: Map<string, string>;
  clock: number;
}

export interface AcceptedJob {
  index: number;
  parked: boolean;
  virtualTime: number;
  /** The job opens a run: one that the caller named and that is new, or one of its own. */
  opensRun: boolean;
}

export interface BatchDecision {
  outcomes: SubmitOutcome[];
  accepted: AcceptedJob[];
}

export function keyOf(userId: string, key: string): string {
  return `${userId} ${key}`;
}

/** Updates `state` as the submits are accepted: what is left in it is what must be written. */
export function decideSubmits(
  submissions: readonly Submission[],
  state: BatchState,
): BatchDecision {
  const accepted: AcceptedJob[] = [];
  const outcomes = submissions.map((submission, index): SubmitOutcome => {
    const user = state.users.get(submission.userId);
    if (user === undefined) throw new Error(`no queue state for ${submission.userId}`);

    const { idempotency } = submission;
    if (idempotency) {
      const known = state.keys.get(keyOf(user.userId, idempotency.key));
      if (known) {
        return known.bodyHash.equals(idempotency.bodyHash)
          ? { kind: 'replayed', jobId: known.jobId }
          : { kind: 'key_reused' };
      }
    }

    const owner =
      submission.runId === undefined ? undefined : state.runOwners.get(submission.runId);
    if (owner !== undefined && owner !== user.userId) return { kind: 'run_forbidden' };

    const opensRun = owner === undefined;
    const limit = submission.runsPerMonth;
    if (opensRun && submission.free !== true && limit !== null && user.runsCounted >= limit) {
      return { kind: 'quota_exceeded', used: user.runsCounted, limit };
    }

    const parked = submission.concurrentJobs !== null && user.inQueue >= submission.concurrentJobs;
    // A parked job takes its place in line when it is let in, not now.
    const virtualTime = parked
      ? 0
      : takeVirtualTime(state.clock, user.finishTimes, submission.priority);
    accepted.push({ index, parked, virtualTime, opensRun });

    if (!parked && submission.concurrentJobs !== null) user.inQueue += 1;
    if (opensRun && submission.free !== true) user.runsCounted += 1;
    if (submission.runId !== undefined) state.runOwners.set(submission.runId, user.userId);
    if (idempotency) {
      state.keys.set(keyOf(user.userId, idempotency.key), {
        bodyHash: idempotency.bodyHash,
        jobId: submission.jobId,
      });
    }
    return { kind: 'accepted', jobId: submission.jobId };
  });
  return { outcomes, accepted };
}
