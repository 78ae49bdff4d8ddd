// Gives waiting jobs to the slots of this node: one loop a node, and not one for each slot, because a thousand polling
// loops would cost more than the work.
//
// The loop is in one of three states.
//   claiming   A claim is on its way for the slots that are free.
//   asleep     Nothing to do: no slot is free, or the last claim found less than it asked for. A signal of new work, or
//              a slot that becomes free while more may be waiting, wakes it. Signals are hints and may be lost, so it
//              also wakes by itself after POLL_MS; that is how delayed jobs are found, too.
//   stopped    Nothing is claimed any more; running jobs continue.
//
// `backlog` is what is known about the queue. After a claim that found less than it asked for nothing waits: jobs that
// end need not cause another claim, because new work announces itself. In any other case, errors included, more may be
// waiting.
//
// The last slots are reserved for teams that have nothing running (see domain/job/fair-queue): when only these are free,
// the claim is for idle teams.
//
// Optimistic start. A job that this process accepts while it has free slots and nothing waits is given to this node by
// the transaction that accepts it. That saves the claim, with a new version of the job and of its run. The slots are
// offered before the transaction begins and counted as used until it is over.
import { reservedSlots } from '../domain/job/fair-queue.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { claimForIdleTeams, claimJobs, hasSeveralTeams } from '../store/jobs/claim-jobs.ts';
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';
import type { OfferedSlots, OptimisticStart } from '../store/jobs/optimistic-start.ts';
import type { Db } from '../store/postgres/db.ts';
import type { Signals } from '../store/postgres/signals.ts';
import { createWakeableSleep } from './wakeable-sleep.ts';
import type { RunningJob, RunningJobs } from './running-jobs.ts';

const POLL_MS = 1000;
const RETRY_MS = 250;
/** When the runs of all that was found are being changed by others: about as long as a transaction takes. */
const BUSY_MS = 10;
const MAX_CLAIM = 128;

export interface Dispatcher extends OptimisticStart {
  wake(): void;
  /** Stops claiming; running jobs continue. */
  stop(): Promise<void>;
}

export function startDispatcher(deps: {
  db: Db;
  signals: Signals;
  log: Logger;
  metrics: Metrics;
  slots: number;
  running: RunningJobs;
  nodeId(): string;
  /** False while this node is not sure that it is still a member. */
  mayClaim(): boolean;
  run(job: ClaimedJob, controller: AbortController): Promise<void>;
}): Dispatcher {
  const { running } = deps;
  const sleep = createWakeableSleep();
  let stopping = false;
  let backlog: 'none' | 'unknown' = 'unknown';
  /** For jobs that are just being accepted. */
  let offeredSlots = 0;
  let hasOtherTeams = false;
  /** The team at which the last claim for idle teams ended. */
  let idleTeamsAfter = '';

  const freeSlots = () => deps.slots - running.size - offeredSlots;

  function slotFreed(): void {
    if (backlog === 'unknown') sleep.wake();
  }

  function start(job: ClaimedJob): void {
    const controller = new AbortController();
    const entry: RunningJob = { job, controller, done: Promise.resolve() };
    entry.done = deps
      .run(job, controller)
      .catch((error: unknown) => {
        running.broken.add(job.id);
        deps.log.error({ jobId: job.id, err: error }, 'job failed unexpectedly');
      })
      .finally(() => {
        running.remove(entry);
        slotFreed();
      });
    running.add(entry);
  }

  function startAll(jobs: readonly ClaimedJob[], nodeId: string): void {
    for (const job of jobs) start(job);
    // A node that was given up while it claimed must not run what it claimed.
    if (nodeId !== deps.nodeId()) jobs.forEach((job) => running.stop(job.id, 'lost'));
  }

  /** That they wait no longer. */
  function announce(jobs: readonly ClaimedJob[]): void {
    if (jobs.length === 0) return;
    deps.signals.emit(
      'progress',
      jobs.flatMap(({ id, executionId }) => (executionId === null ? [id] : [id, executionId])),
    );
  }

  function startClaimed(jobs: readonly ClaimedJob[], nodeId: string): void {
    deps.metrics.jobsRepeated.inc(jobs.filter(({ hasUsage }) => hasUsage).length);
    startAll(jobs, nodeId);
    announce(jobs);
  }

  /** None while there is only one team. Asked when only these slots are left, until there are more. */
  async function reserved(): Promise<number> {
    hasOtherTeams ||= await hasSeveralTeams(deps.db);
    return hasOtherTeams ? reservedSlots(deps.slots) : 0;
  }

  async function claimInTurn(nodeId: string, limit: number): Promise<void> {
    const { jobs, found, busy } = await claimJobs(deps.db, nodeId, limit);
    startClaimed(jobs, nodeId);
    backlog = found === limit || busy > 0 ? 'unknown' : 'none';
    if (busy > 0 && jobs.length === 0 && !stopping) await sleep.until(BUSY_MS);
    if (backlog === 'unknown') sleep.wake();
  }

  async function claimReserved(nodeId: string, limit: number): Promise<void> {
    const { jobs, after } = await claimForIdleTeams(deps.db, nodeId, {
      limit,
      after: idleTeamsAfter,
    });
    startClaimed(jobs, nodeId);
    // The other teams may well be waiting.
    backlog = 'unknown';
    idleTeamsAfter = after;
    if (after !== '') sleep.wake();
  }

  async function claim(): Promise<void> {
    const free = freeSlots();
    if (free <= 0 || !deps.mayClaim()) {
      backlog = 'unknown';
      return;
    }
    const nodeId = deps.nodeId();
    const unreserved = free - reservedSlots(deps.slots);
    const limit = Math.min(MAX_CLAIM, unreserved > 0 ? unreserved : free - (await reserved()));
    if (limit > 0) await claimInTurn(nodeId, limit);
    else await claimReserved(nodeId, free);
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      try {
        await claim();
        if (!stopping) await sleep.until(POLL_MS);
      } catch (error) {
        backlog = 'unknown';
        deps.log.warn({ err: error }, 'could not claim jobs');
        if (!stopping) await sleep.until(RETRY_MS);
      }
    }
  }

  const looping = loop();
  return {
    wake: () => sleep.wake(),
    offer(count) {
      const free = freeSlots() - reservedSlots(deps.slots);
      if (stopping || backlog === 'unknown' || free <= 0 || !deps.mayClaim()) return undefined;
      const offered = Math.min(count, free);
      const nodeId = deps.nodeId();
      offeredSlots += offered;
      const slots: OfferedSlots = {
        nodeId,
        count: offered,
        start(jobs) {
          startAll(jobs, nodeId);
          // Nobody has seen one of them wait, but for those who follow an execution.
          announce(jobs.filter(({ executionId }) => executionId !== null));
        },
        release() {
          offeredSlots -= offered;
          slotFreed();
        },
      };
      return slots;
    },
    async stop() {
      stopping = true;
      sleep.wake();
      await looping;
    },
  };
}
