// Housekeeping in the background of a worker: ends jobs that waited too long, were lost too
// often or whose owners are suspended, executions and approvals whose time is over, lets parked jobs in, puts plans in force, and
// clears what is no longer needed.
import type { Price } from '../domain/usage/largest-cost.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { JobFinalizer } from '../store/jobs/finalize-jobs.ts';
import { LOST_CODE, timedOut } from '../store/jobs/job-outcome.ts';
import type { JobEnding } from '../store/jobs/job-outcome.ts';
import { expireApprovals } from '../store/approvals/approval-events.ts';
import { endLostRequests } from '../store/runners/request-events.ts';
import { listLostCalls } from '../store/calls/lost-calls.ts';
import { cleanUp } from '../store/jobs/maintenance.ts';
import { settleAbandoned } from '../store/jobs/settle-abandoned.ts';
import { MAX_LOSSES, listOverdue } from '../store/jobs/overdue-jobs.ts';
import type { OverdueJob } from '../store/jobs/overdue-jobs.ts';
import { letInAllParked } from '../store/jobs/parked-jobs.ts';
import { listSuspended } from '../store/jobs/suspended-jobs.ts';
import { putAllDueInForce } from '../store/billing/due-plans.ts';
import type { Db } from '../store/postgres/db.ts';
import { startLoop } from './loop.ts';
import type { Loop } from './loop.ts';
import { applyRetention } from './retention.ts';
import { createUnbroken } from './unbroken.ts';
import { rollUpUsage } from '../store/usage/usage-rollup.ts';
import { collectSignals } from '../store/postgres/signals.ts';
import type { Signals } from '../store/postgres/signals.ts';

const TICK_MS = 1000;
const CLEAN_EVERY_TICKS = 60;
const RETAIN_EVERY_TICKS = 3600;
const LET_IN_EVERY_TICKS = 5;
const MAX_OVERDUE = 500;

function endingOf(job: OverdueJob): JobEnding {
  if (job.reason === 'suspended') {
    const error = 'The account or the team was suspended before this job started';
    return { kind: 'failed', error, errorCode: 'ACCOUNT_SUSPENDED' };
  }
  if (job.reason === 'lost') {
    const error = `The server lost this job ${MAX_LOSSES} times; try again`;
    return { kind: 'failed', error, errorCode: LOST_CODE };
  }
  return timedOut(job.timeoutMs);
}

export function startMaintenance(deps: {
  db: Db;
  tiers: Tiers;
  signals: Signals;
  finalizer: JobFinalizer;
  /** Fails executions whose time is over. */
  closer: { failDue(): Promise<number> };
  /** For calls that were lost with a node. */
  price: Price;
  runnerLeaseSeconds: number;
  clock: Clock;
  log: Logger;
}): Loop {
  const unbroken = createUnbroken(deps.clock);

  async function endOverdue(): Promise<void> {
    const overdue = [
      ...(await listOverdue(deps.db, MAX_OVERDUE)),
      ...(await listSuspended(deps.db, MAX_OVERDUE)),
    ];
    await Promise.all(
      overdue.map((job) =>
        deps.finalizer.end({
          jobId: job.id,
          runId: job.runId,
          teamId: job.teamId,
          executionId: job.executionId,
          attempt: undefined,
          ending: endingOf(job),
          used: undefined,
          textGeneration: 0,
        }),
      ),
    );
  }

  /** Also what was due while no server was up. */
  async function endApprovals(): Promise<void> {
    const pending = collectSignals();
    await deps.db.tx((tx) => expireApprovals(tx, pending, MAX_OVERDUE));
    pending.sendBy(deps.signals);
  }

  /** What they used is estimated at once: no report will come. */
  async function endLostCalls(): Promise<void> {
    const lost = await listLostCalls(deps.db, MAX_OVERDUE);
    if (lost.length === 0) return;
    const error = 'The server that passed this call on stopped';
    const ends = lost.map(({ id: jobId, ...call }) =>
      deps.finalizer.end({
        jobId,
        ...call,
        attempt: undefined,
        ending: { kind: 'failed', error, errorCode: LOST_CODE },
        used: undefined,
        textGeneration: 0,
      }),
    );
    await Promise.all(ends);
    await settleAbandoned(deps.db, deps.price);
  }

  /** A runner that found no server, or a server no database, has its whole lease again to be heard. */
  async function giveLostRequestsToOthers(): Promise<void> {
    const { runnerLeaseSeconds: leaseSeconds } = deps;
    if (unbroken.ms() < leaseSeconds * 1000) return;
    await endLostRequests(deps, { limit: MAX_OVERDUE, leaseSeconds });
  }

  async function tick(count: number, signal: AbortSignal): Promise<void> {
    // Executions first: the jobs of one whose time is over end with it.
    await deps.closer.failDue();
    await endApprovals();
    await giveLostRequestsToOthers();
    await endOverdue();
    await endLostCalls();
    await putAllDueInForce(deps);
    if (count % LET_IN_EVERY_TICKS === 0 && (await letInAllParked(deps)) > 0) {
      deps.signals.emit('work');
    }
    if (count % CLEAN_EVERY_TICKS === 1) {
      await cleanUp(deps.db, deps.price);
      await rollUpUsage(deps.db);
    }
    if (count % RETAIN_EVERY_TICKS === 30) await applyRetention(deps, signal);
  }

  const options = { everyMs: TICK_MS, failed: 'maintenance failed; retrying' };
  return startLoop(deps, options, (count, signal) => unbroken.round(() => tick(count, signal)));
}
