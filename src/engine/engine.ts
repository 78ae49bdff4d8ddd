// The worker half of a node: its loops, started and stopped in the right order.
import type { Tiers } from '../domain/job/tiers.ts';
import type { Listener, Queryable } from '../store/postgres/db.ts';
import { requeueJobs } from '../store/jobs/requeue-jobs.ts';
import type { OptimisticStart } from '../store/jobs/optimistic-start.ts';
import type { TextStore } from '../store/jobs/archived-texts.ts';
import { startArchiving } from './archive.ts';
import { startDispatcher } from './dispatcher.ts';
import { createJobRunner } from './job-runner.ts';
import type { JobRunnerDeps } from './job-runner.ts';
import { startMaintenance } from './maintenance.ts';
import { joinNodes } from './membership.ts';
import type { Membership, MembershipDeps } from './membership.ts';
import { createRunningJobs } from './running-jobs.ts';
import { startScheduleLoop } from './schedule-loop.ts';
import type { DueSchedules } from './schedule-loop.ts';
import { startWebhookDelivery } from './webhook-delivery.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface Engine {
  /** To be called with each new session of the listener, and when signals may have been missed. */
  onConnect(session: Queryable | undefined): Promise<void>;
  /** For the API of the same process. */
  worker: OptimisticStart;
  /** This process among the nodes. */
  node: Pick<Membership, 'nodeId' | 'isMember'>;
  runningCount(): number;
  /** Takes no new jobs from now on; those that run continue. */
  stopClaiming(): Promise<void>;
  /** Stops claiming, waits until `waitMs` after that, requeues what is left, leaves. */
  drain(waitMs: number): Promise<void>;
}

export interface EngineDeps
  extends JobRunnerDeps, Omit<MembershipDeps, 'running' | 'describe' | 'listener'> {
  role: string;
  version: string;
  slots: number;
  tiers: Tiers;
  closer: { failDue(): Promise<number> };
  runnerLeaseSeconds: number;
  webhookSender: WebhookSender;
  schedules: DueSchedules;
  archiveAfterHours: number;
  texts: TextStore | undefined;
  listener(): Listener | undefined;
}

const LAST_ENDS_MS = 30_000;

export async function startEngine(deps: EngineDeps): Promise<Engine> {
  const running = createRunningJobs();
  const { role, version, slots } = deps;
  const membership = await joinNodes({ ...deps, running, describe: { role, version, slots } });
  const runner = createJobRunner(deps);
  const dispatcher = startDispatcher({
    ...deps,
    running,
    nodeId: membership.nodeId,
    mayClaim: membership.isMember,
    run: runner.run,
  });
  const maintenance = startMaintenance(deps);
  const archiving = startArchiving(deps);
  const webhooks = startWebhookDelivery(deps);
  const schedules = startScheduleLoop(deps);
  const unsubscribe = [
    deps.signals.on('work', () => dispatcher.wake()),
    deps.signals.on('cancel', (ids) => ids.forEach((id) => running.stop(id, 'cancelled'))),
  ];

  let stoppedAt: number | undefined;
  async function stopClaiming(): Promise<void> {
    const isFirst = stoppedAt === undefined;
    stoppedAt ??= deps.clock.now();
    await dispatcher.stop();
    if (isFirst) deps.log.info({ jobs: running.size }, 'stopping: no new jobs are taken');
  }

  async function untilDrained(ms: number): Promise<void> {
    const waited = new AbortController();
    await Promise.race([running.drained(), deps.clock.sleep(ms, waited.signal)]);
    waited.abort();
  }

  return {
    async onConnect(session) {
      await membership.holdOn(session);
      dispatcher.wake();
      webhooks.wake();
      schedules.wake();
    },
    worker: dispatcher,
    node: membership,
    runningCount: () => running.size,
    stopClaiming,
    async drain(waitMs) {
      await stopClaiming();
      // The node gets one stretch of time to stop, and requests may have had a part of it.
      const passedMs = Math.max(0, deps.clock.now() - (stoppedAt ?? 0));
      const leftMs = Math.max(0, waitMs - passedMs);
      const webhooksStopped = webhooks.stop(leftMs);
      await untilDrained(leftMs);
      if (running.size > 0) {
        deps.log.info({ jobs: running.size }, 'returning running jobs to the queue');
        running.stopAll('drain');
        // Ends that the database does not take: a server that stops cannot wait for it for ever.
        await untilDrained(LAST_ENDS_MS);
      }
      await Promise.all([maintenance.stop(), archiving.stop(), schedules.stop()]);
      await webhooksStopped;
      await deps.finalizer.idle();
      await requeueJobs(deps, membership.nodeId(), { lost: false });
      await membership.stop();
      unsubscribe.forEach((off) => off());
    },
  };
}
