// Starts the cluster on Patroni, says where it is, and stops it at ctrl-c.
import { runCluster } from '../../program/run-cluster.ts';
import { openPatroni } from './database.ts';

await runCluster({ openDatabase: openPatroni });
