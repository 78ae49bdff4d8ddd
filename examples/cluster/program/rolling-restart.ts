// Restarts the nodes one after the other while clients work, and says what they noticed.
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../../test/support/processes.ts';
import { withCluster } from './cluster.ts';
import { FOLDER, NODES } from './layout.ts';
import type { NodePlan } from './layout.ts';
import { report, startLoad } from './load.ts';
import { isReady, pidOf } from './nodes.ts';

const CALM_MS = 2000;

async function restart(node: NodePlan): Promise<number> {
  const began = performance.now();
  const pid = pidOf(FOLDER, node.name);
  process.kill(pid, 'SIGTERM');
  await waitUntil(() => pidOf(FOLDER, node.name) !== pid, `${node.name} to be started again`);
  await waitUntil(() => isReady(node), `${node.name} to be ready`);
  return performance.now() - began;
}

await withCluster(async (cluster) => {
  const load = await startLoad(cluster);
  await delay(CALM_MS);
  for (const node of NODES) {
    const ms = await restart(node);
    console.log(`Restarted ${node.name} in ${(ms / 1000).toFixed(1)} s.`);
    await delay(CALM_MS);
  }
  const verdict = await load.stop();
  return report(verdict) && verdict.failedRequests === 0;
});
