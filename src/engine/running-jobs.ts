// The jobs that this node runs right now.
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';

/**
 * Why a running call is stopped:
 * cancelled  the row has ended already, only the tokens have yet to be reported
 * deadline   the job's time is over
 * lost       another node may have the job now: stop paying, change nothing
 * drain      this node stops, another one will run the job from the start
 */
export type AbortReason = 'cancelled' | 'deadline' | 'lost' | 'drain';

export interface RunningJob {
  job: ClaimedJob;
  controller: AbortController;
  done: Promise<void>;
}

export interface RunningJobs {
  readonly size: number;
  add(entry: RunningJob): void;
  /** Only this very entry: the node may have taken the same job again meanwhile. */
  remove(entry: RunningJob): void;
  /** Jobs whose run broke by a bug: nothing is known of their calls until the node requeues them. */
  readonly broken: Set<string>;
  stop(jobId: string, reason: AbortReason): void;
  stopAll(reason: AbortReason): void;
  ids(): string[];
  attempts(): Map<string, number>;
  /** Resolves when nothing runs any more. */
  drained(): Promise<void>;
}

export function createRunningJobs(): RunningJobs {
  const entries = new Map<string, RunningJob>();
  return {
    get size() {
      return entries.size;
    },
    add: (entry) => void entries.set(entry.job.id, entry),
    remove(entry) {
      if (entries.get(entry.job.id) === entry) entries.delete(entry.job.id);
    },
    broken: new Set(),
    stop: (jobId, reason) => entries.get(jobId)?.controller.abort(reason),
    stopAll(reason) {
      for (const { controller } of entries.values()) controller.abort(reason);
    },
    ids: () => [...entries.keys()],
    attempts: () => new Map([...entries].map(([id, { job }]) => [id, job.attempt])),
    async drained() {
      while (entries.size > 0) {
        await Promise.allSettled([...entries.values()].map(({ done }) => done));
      }
    },
  };
}
