// One loop a node that fetches as many jobs as there are free slots. It is woken by signals (new
// work, a slot that became free) and looks by itself from time to time in case a signal was lost.
// One loop and not one for each slot: a thousand polling loops would cost more than the work.
// The last slots are kept for teams that have nothing running (see domain/job/fair-queue).
import type { Price } from '../domain/execution/execution-budget.ts';
import { reservedSlots } from '../domain/job/fair-queue.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { claimForNewcomers, claimJobs, recordTakenOver } from '../store/jobs/claim-jobs.ts';
import type { Claim, ClaimedJob } from '../store/jobs/claim-jobs.ts';
import type { LocalWorker, Places } from '../store/jobs/local-worker.ts';
import type { Db } from '../store/postgres/db.ts';
import { findNewcomers, hasSeveralTeams } from '../store/jobs/newcomers.ts';
import type { Queue } from '../store/jobs/queue.ts';
import type { Signals } from '../store/postgres/signals.ts';
import type { RunningJob, RunningJobs } from './running-jobs.ts';

const POLL_MS = 1000;
const RETRY_MS = 250;
/** When all that was fetched is being changed by others: about as long as a transaction takes. */
const BUSY_MS = 10;
const MAX_FETCH = 128;

/** A power of two: the size stands in the statement, and few texts are prepared, not hundreds. */
function fetchSize(free: number): number {
  if (free <= 0) return 0;
  return Math.min(MAX_FETCH, 2 ** Math.floor(Math.log2(free)));
}

export interface Dispatcher extends LocalWorker {
  wake(): void;
  /** Stops fetching; running jobs go on. */
  stop(): Promise<void>;
}

export function startDispatcher(deps: {
  db: Db;
  queue: Queue;
  signals: Signals;
  /** For calls of workers whose jobs are taken over. */
  price: Price;
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
  let stopping = false;
  let awake = true;
  let wakeUp = () => {};
  // Whether more may be waiting than was taken. New work announces itself, so a job that ends need
  // not make us look again when the last look emptied the queue.
  let maybeMore = true;
  /** Places of jobs that are just being accepted. */
  let setAside = 0;
  let severalUsers = false;
  let newcomersFrom = '';

  function wake(): void {
    awake = true;
    wakeUp();
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
        if (maybeMore) wake();
      });
    running.add(entry);
  }

  /** None while there is only one user. Asked when a node is nearly full, until there are more. */
  async function reserved(): Promise<number> {
    severalUsers ||= await hasSeveralTeams(deps.db);
    return severalUsers ? reservedSlots(deps.slots) : 0;
  }

  async function fetchOnce(): Promise<void> {
    const free = deps.slots - running.size - setAside;
    if (free <= 0 || !deps.mayClaim()) {
      maybeMore = true;
      return;
    }
    const nodeId = deps.nodeId();
    let limit = fetchSize(free);
    if (free - limit < reservedSlots(deps.slots)) limit = fetchSize(free - (await reserved()));
    if (limit > 0) {
      const claim = await claimJobs(deps, nodeId, limit);
      startAll(claim, nodeId);
      await recordTakenOver(deps, claim.takenOver);
      maybeMore = claim.taken === limit || claim.busy > 0;
      if (maybeMore) awake = true;
      if (claim.busy > 0 && claim.jobs.length === 0 && !stopping) await sleep(BUSY_MS);
      return;
    }
    // What is left of the slots is for teams that have none. The others may well be waiting.
    maybeMore = true;
    const newcomers = await findNewcomers(deps.db, newcomersFrom);
    newcomersFrom = newcomers.cursor;
    if (newcomersFrom !== '') awake = true;
    const chosen = newcomers.jobIds.slice(0, fetchSize(free));
    if (chosen.length === 0) return;
    const claim = await claimForNewcomers(deps, nodeId, chosen);
    startAll(claim, nodeId);
    await recordTakenOver(deps, claim.takenOver);
  }

  function runAll(jobs: readonly ClaimedJob[], nodeId: string): void {
    for (const job of jobs) start(job);
    // A node that was given up while it fetched must not run what it fetched.
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

  /** Whose calls were paid for before: tokens of a worker that was just given up are recorded a moment later. */
  function countRepeated({ jobs, takenOver }: Claim): void {
    const lost = new Set(takenOver.map(({ id }) => id));
    deps.metrics.jobsRepeated.inc(
      jobs.filter(({ id, hasUsage }) => hasUsage || lost.has(id)).length,
    );
  }

  function startAll(claim: Claim, nodeId: string): void {
    const { jobs } = claim;
    countRepeated(claim);
    runAll(jobs, nodeId);
    announce(jobs);
  }

  /** Not while others may be waiting in the queue, and never the places that are kept for newcomers. */
  function placesFor(count: number): Places | undefined {
    const free = deps.slots - running.size - setAside - reservedSlots(deps.slots);
    if (stopping || maybeMore || free <= 0 || !deps.mayClaim()) return undefined;
    const places = Math.min(count, free);
    const nodeId = deps.nodeId();
    setAside += places;
    return {
      nodeId,
      count: places,
      start(jobs) {
        runAll(jobs, nodeId);
        // Nobody has seen one of them wait, but for those who follow an execution.
        announce(jobs.filter(({ executionId }) => executionId !== null));
      },
      giveBack() {
        setAside -= places;
        if (maybeMore) wake();
      },
    };
  }

  async function sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function loop(): Promise<void> {
    while (!stopping) {
      awake = false;
      try {
        await fetchOnce();
      } catch (error) {
        maybeMore = true;
        deps.log.warn({ err: error }, 'could not fetch jobs');
        if (!stopping) await sleep(RETRY_MS);
        awake = true;
      }
      if (!awake && !stopping) await sleep(POLL_MS);
    }
  }

  const looping = loop();
  return {
    wake,
    setAside: placesFor,
    async stop() {
      stopping = true;
      wakeUp();
      await looping;
    },
  };
}
