// Starts the cluster on the PostgreSQL that is included.
import { runCluster } from './run-cluster.ts';

await runCluster();
