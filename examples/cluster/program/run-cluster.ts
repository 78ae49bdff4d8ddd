// What both start scripts do: start a cluster, say where it is, and stop it at ctrl-c.
import { findCluster, runInCluster } from './cluster.ts';
import type { ClusterOptions } from './cluster.ts';
import { FOLDER, NODES } from './layout.ts';

export async function runCluster(options?: ClusterOptions): Promise<never> {
  const running = findCluster();
  if (running !== undefined) {
    console.error(`The cluster is already running at ${running.balancerUrl} (pid ${running.pid}).`);
    process.exit(1);
  }
  return runInCluster(async ({ balancerUrl, databaseUrl }) => {
    console.log(`Cluster is ready at ${balancerUrl}`);
    for (const { name, role, port } of NODES) {
      const what = role === 'api' ? '' : ' (health and metrics)';
      console.log(`  ${name.padEnd(9)} http://127.0.0.1:${port}${what}`);
    }
    console.log(`  database  ${databaseUrl}`);
    console.log(`  logs      ${FOLDER}`);
    console.log('');
    console.log('Create an API key in another terminal:');
    console.log(`  ./millrace api-keys create --email you@example.com --database-url '${databaseUrl}'`);
    console.log('Restart all nodes under load: ./rolling-restart. Press ctrl-c to stop.');
    return new Promise<never>(() => {});
  }, options);
}
