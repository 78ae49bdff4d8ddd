// The calls that clients make in the vendors' protocols, and this process among the nodes, by which those are found that it
// dies with.
import type { Config } from '../config/config.ts';
import { joinNodes } from '../engine/membership.ts';
import type { Membership } from '../engine/membership.ts';
import { createRunningJobs } from '../engine/running-jobs.ts';
import { createGateway } from '../gateway/gateway.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { LIVENESS } from '../store/jobs/liveness.ts';
import type { Submitter } from '../store/jobs/submit-jobs.ts';
import type { Listener } from '../store/postgres/db.ts';
import type { Calling } from './calling.ts';
import type { Database } from './database.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

export type Node = Pick<Membership, 'nodeId' | 'isMember'>;

/** Set once there is a gateway: the node comes first. */
export interface Calls {
  gateway: Gateway | undefined;
}

/** For a process without a worker, which would be a node anyway. */
export async function joinAsApi(
  config: Config,
  parts: Parts & { calls: Calls },
  {
    openBeatDb,
    modes,
    listener,
  }: Pick<Database, 'openBeatDb' | 'modes'> & { listener(): Listener | undefined },
  teardown: Teardown,
): Promise<Membership> {
  const membership = await joinNodes({
    ...parts,
    beatDb: openBeatDb(),
    running: createRunningJobs(),
    stopCalls: () => parts.calls.gateway?.stopAll('lost'),
    describe: { role: config.role, version: VERSION, slots: 0 },
    liveness: LIVENESS[modes.liveness.mode],
    silenceMs: config.databaseSilenceSeconds * 1000,
    listener,
  });
  teardown.add('membership', () => membership.stop());
  return membership;
}

export function startGateway(
  config: Config,
  parts: Parts & { submitter: Submitter; node: Node; calling: Calling },
  teardown: Teardown,
): Gateway {
  const { providers, calling } = parts;
  const gateway = createGateway({
    ...parts,
    keys: calling.keys,
    rateLimiter: calling.rateLimiter,
    upstreams: { vendor: providers.upstream, simulated: providers.simulatedUpstream },
  });
  const off = parts.signals.on('cancel', (ids) => {
    for (const id of ids) gateway.stop(id, 'cancelled');
  });
  teardown.add('calls', async () => {
    await gateway.drain(config.drainSeconds * 1000);
    off();
  });
  return gateway;
}
