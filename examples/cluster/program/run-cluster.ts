// What both start scripts do: start a cluster, say where it is, and stop it at ctrl-c.
import { findCluster, startCluster } from './cluster.ts';
import type { ClusterDatabase } from './cluster.ts';
import { FOLDER, NODES } from './layout.ts';
import { untilStopped } from '../../../src/cli/stop-signal.ts';

export async function runCluster(openDatabase?: () => Promise<ClusterDatabase>): Promise<void> {
const running = findCluster();
if (running !== undefined) {
  console.error(`The cluster is already running at ${running.balancerUrl} (pid ${running.pid}).`);
  process.exit(1);
}
const stopped = untilStopped();
const cluster = await startCluster(openDatabase);
console.log(`Cluster is ready at ${cluster.balancerUrl}`);
for (const { name, role, port } of NODES) {
  const what = role === 'api' ? '' : ' (health and metrics)';
  console.log(`  ${name.padEnd(9)} http://127.0.0.1:${port}${what}`);
}
console.log(`  database  ${cluster.databaseUrl}`);
console.log(`  logs      ${FOLDER}`);
console.log('');
console.log('Create an API key in another terminal:');
console.log(`  ./millrace api-keys create --email you@example.com --database-url '${cluster.databaseUrl}'`);
console.log('Restart all nodes under load: ./rolling-restart. Press ctrl-c to stop.');
await stopped;
console.log('Stopping the nodes, HAProxy and the database.');
await cluster.stop();
process.exit(0);
}
