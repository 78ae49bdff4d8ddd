// This node's place among the nodes. It beats once a second; others watch the beat and, where there is one,
// the advisory lock on the node's session. A node that cannot beat must assume that it was given up
// and stops its calls before the others start its jobs again; answers that it has by then it keeps (see job-runner).
// A node that finds its row gone was given up, and joins again under a new name.
import type { Price } from '../domain/usage/largest-cost.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Db, Listener, Queryable } from '../store/postgres/db.ts';
import type { Liveness } from '../store/jobs/liveness.ts';
import {
  deleteNode,
  insertNode,
  requeueOrphans,
  sweepDeadNodes,
  updateBeat,
} from '../store/jobs/nodes.ts';
import type { LostNode } from '../store/jobs/nodes.ts';
import { checkRunning, requeueJobs } from '../store/jobs/requeue-jobs.ts';
import type { Signals } from '../store/postgres/signals.ts';
import { timeLimits } from '../store/postgres/time-limits.ts';
import type { RunningJobs } from './running-jobs.ts';

const BEAT_MS = 1000;
/** An answer that took longer may have waited for a database that was away. */
const LATE_BEAT_MS = 5 * BEAT_MS;
const CHECK_EVERY_BEATS = 2;
const ORPHANS_EVERY_BEATS = 4;

export interface Membership {
  nodeId(): string;
  isMember(): boolean;
  /** Holds the node's place on a new session. */
  holdOn(session: Queryable | undefined): Promise<void>;
  stop(): Promise<void>;
}

export interface MembershipDeps {
  /** A connection of its own, with short time-outs: a beat must not wait behind other work. */
  beatDb: Db;
  db: Db;
  /** For calls that were lost with a node. */
  price: Price;
  signals: Signals;
  running: RunningJobs;
  /** Calls of models that are no jobs of the queue stop with them. */
  stopCalls?: (() => void) | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  describe: { role: string; version: string; slots: number };
  liveness: Liveness;
  /** How long this node may be without a beat, with or without a lock, before others give it up. */
  silenceMs: number;
  /** The session that a lock would be on. */
  listener(): Listener | undefined;
}

export async function joinNodes(deps: MembershipDeps): Promise<Membership> {
  let nodeId = newId('node');
  let lastBeat = deps.clock.now();
  let fenced = false;
  const joinedAt = lastBeat;
  /** Undefined while the database does not answer. */
  let answeredSince: number | undefined = joinedAt;
  const stopping = new AbortController();
  const { holdsLock, suspectMs } = deps.liveness;
  const { silenceMs } = deps;
  const { selfFenceMs } = timeLimits(silenceMs);
  const insert = (db: Db) => insertNode(db, { id: nodeId, ...deps.describe, holdsLock, silenceMs });
  await insert(deps.db);

  function stopAll(): void {
    deps.running.stopAll('lost');
    deps.stopCalls?.();
  }

  async function rejoin(): Promise<void> {
    deps.log.warn({ nodeId }, 'other nodes declared this node dead; rejoining');
    stopAll();
    nodeId = newId('node');
    await insert(deps.beatDb);
    await deps.liveness.hold(deps.listener(), nodeId);
  }

  async function sweep(): Promise<void> {
    if (answeredSince === undefined) return;
    const answered = {
      forMs: deps.clock.now() - answeredSince,
      always: answeredSince === joinedAt,
    };
    const { slots } = deps.describe;
    const dead = await sweepDeadNodes(deps, { nodeId, slots }, { answered, suspectMs });
    deps.metrics.workersLost.inc(dead.length);
    report(dead);
  }

  function report(lost: readonly LostNode[]): void {
    for (const { nodeId: dead, jobs } of lost) {
      deps.log.warn({ deadNode: dead, jobs }, 'took over the jobs of a dead node');
    }
    if (lost.some(({ jobs }) => jobs > 0)) deps.signals.emit('work');
  }

  async function check(): Promise<void> {
    const { unknown, notOurs } = await checkRunning(deps.db, nodeId, deps.running.attempts());
    for (const jobId of notOurs) deps.running.stop(jobId, 'cancelled');
    const strays = unknown.filter((jobId) => !deps.running.attempts().has(jobId));
    await requeueStrays(strays);
  }

  /**
   * Jobs that the table says run here, and do not. The answer to their claim never arrived, so that nothing was
   * called, or they were stopped here, and what they used is recorded. Neither is a lost worker, and nothing is
   * estimated. Only a run that broke may have used what is not recorded.
   */
  async function requeueStrays(strays: readonly string[]): Promise<void> {
    const { broken } = deps.running;
    for (const lost of [true, false]) {
      const jobIds = strays.filter((jobId) => broken.has(jobId) === lost);
      if (jobIds.length === 0) continue;
      await requeueJobs(deps, nodeId, { jobIds, lost });
      for (const jobId of jobIds) broken.delete(jobId);
    }
  }

  async function beat(): Promise<void> {
    // Others count from when the beat was written, which may be long before its answer arrives.
    const sentAt = deps.clock.now();
    try {
      if (!(await updateBeat(deps.beatDb, nodeId))) await rejoin();
    } catch (error) {
      answeredSince = undefined;
      throw error;
    }
    if (deps.clock.now() - lastBeat > LATE_BEAT_MS) answeredSince = undefined;
    answeredSince ??= deps.clock.now();
    lastBeat = sentAt;
    fenced = false;
  }

  async function tend(count: number): Promise<void> {
    await sweep();
    if (count % CHECK_EVERY_BEATS === 0) await check();
    if (count % ORPHANS_EVERY_BEATS === 0) report(await requeueOrphans(deps));
  }

  function fenceWhenCutOff(): void {
    if (fenced || deps.clock.now() - lastBeat < selfFenceMs) return;
    fenced = true;
    deps.metrics.workersFenced.inc();
    deps.log.error({ nodeId }, 'could not reach the database; stopping all model calls');
    stopAll();
  }

  async function everyBeat(work: (count: number) => Promise<void>, failed: string): Promise<void> {
    for (let count = 1; !stopping.signal.aborted; count++) {
      await deps.clock.sleep(BEAT_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await work(count);
      } catch (error) {
        deps.log.warn({ err: error }, failed);
      }
    }
  }

  // Separate from the loops, which may hang in a query for as long as the query's timeout.
  const fenceTimer = setInterval(fenceWhenCutOff, 500);
  // Two loops: looking after others may take long under load, and must not hold up our own beat.
  const looping = [
    everyBeat(beat, 'missed a beat'),
    everyBeat(tend, 'could not look after the other nodes'),
  ];
  return {
    nodeId: () => nodeId,
    isMember: () => !fenced && deps.clock.now() - lastBeat < selfFenceMs,
    holdOn: (session) => deps.liveness.hold(session, nodeId),
    async stop() {
      stopping.abort();
      clearInterval(fenceTimer);
      await Promise.all(looping);
      await deleteNode(deps.db, nodeId);
    },
  };
}
