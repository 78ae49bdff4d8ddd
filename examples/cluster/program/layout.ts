// What the cluster consists of, and where: everything is below one folder and on loopback.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('..', import.meta.url));
export const ROOT = join(HERE, '..', '..');

/** Short enough that sockets fit into the path. */
export const FOLDER = process.env['CLUSTER_DIR'] ?? join(HERE, 'run');
export const FIRST_PORT = Number(process.env['CLUSTER_PORT'] ?? 4800);
export const STATE_FILE = join(FOLDER, 'cluster.json');
export const HAPROXY_CONFIG = join(HERE, 'haproxy.cfg');
export const BALANCER_URL = `http://127.0.0.1:${FIRST_PORT}`;

export interface NodePlan {
  name: string;
  role: 'api' | 'worker';
  /** Of the API, or of a worker's health. */
  port: number;
}

/** Two of each: with one API node, no restart could go unnoticed. */
export const NODES: readonly NodePlan[] = [
  { name: 'api-1', role: 'api', port: FIRST_PORT + 1 },
  { name: 'api-2', role: 'api', port: FIRST_PORT + 2 },
  { name: 'worker-1', role: 'worker', port: FIRST_PORT + 3 },
  { name: 'worker-2', role: 'worker', port: FIRST_PORT + 4 },
];

/** Of a cluster that is running, for the other scripts. */
export interface ClusterState {
  /** Of the process that keeps it running. */
  pid: number;
  balancerUrl: string;
  databaseUrl: string;
}
