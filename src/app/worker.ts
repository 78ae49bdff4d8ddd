// The worker half of a node: the engine with what only it needs.
import type { Config } from '../config/config.ts';
import { startEngine } from '../engine/engine.ts';
import type { Engine } from '../engine/engine.ts';
import { startPlanSync } from '../engine/plan-sync.ts';
import { createWebhookSender } from '../engine/webhook-sender.ts';
import { createGuardedClient } from '../platform/guarded-request.ts';
import { publicResolver, systemResolver } from '../platform/target-resolver.ts';
import { LIVENESS } from '../store/jobs/liveness.ts';
import type { Listener } from '../store/postgres/db.ts';
import { createScheduleFirer } from '../services/schedules/fire-due.ts';
import { stripeParts } from './billing.ts';
import type { Calling } from './calling.ts';
import type { Database } from './database.ts';
import type { Calls } from './gateway.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

export async function startWorker(
  config: Config,
  { calling, calls, ...parts }: Parts & { calling: Calling; calls: Calls },
  {
    openBeatDb,
    modes,
    listener,
  }: Pick<Database, 'openBeatDb' | 'modes'> & { listener: Listener | undefined },
  teardown: Teardown,
): Promise<Engine> {
  const beatDb = openBeatDb();
  const client = createGuardedClient({
    ...config.webhookTimes,
    allowPrivate: config.allowPrivateTargets,
    resolve: config.allowPrivateTargets ? systemResolver : publicResolver(),
  });
  teardown.add('webhook connections', () => client.close());
  const engine = await startEngine({
    ...parts,
    webhookSender: createWebhookSender({
      ...parts,
      client,
      random: Math.random,
      times: config.webhookTimes,
      userAgent: `Millrace/${VERSION}`,
      publicUrl: config.publicUrl,
    }),
    schedules: createScheduleFirer(parts),
    beatDb,
    rateLimiter: calling.rateLimiter,
    stopCalls: () => calls.gateway?.stopAll('lost'),
    processingLimitMs: config.processingSeconds * 1000,
    leastStandardMs: config.leastStandardMs,
    keys: calling.keys,
    role: config.role,
    version: VERSION,
    slots: config.slots,
    runnerLeaseSeconds: config.runnerLeaseSeconds,
    archiveAfterHours: config.archiveAfterHours,
    liveness: LIVENESS[modes.liveness.mode],
    silenceMs: config.databaseSilenceSeconds * 1000,
    listener: () => listener,
  });
  const stripe = await stripeParts(config, parts, () => config.publicUrl ?? '');
  if (stripe) {
    const planSync = startPlanSync({ ...parts, resync: () => stripe.sync.resync() });
    teardown.add('plan sync', () => planSync.stop());
  }
  teardown.add('engine', () => engine.drain(config.drainSeconds * 1000));
  return engine;
}
