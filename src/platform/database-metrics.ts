// How busy the connections of this process to the database are, and how soon it answers.
import { Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WatchedPool {
  use(): { used: number; idle: number; waiting: number; limit: number };
  onDone(listener: (kind: 'statement' | 'transaction', seconds: number) => void): void;
}

export function createDatabaseMetrics(registers: Registry[]): (pool: WatchedPool) => void {
  let watched: WatchedPool | undefined;
  // Those of several processes are added up, the limit too: each has a pool of its own.
  const connections = new Gauge({
    name: 'millrace_database_connections',
    help: 'Connections of the pool by state',
    labelNames: ['state'],
    registers: [],
    collect() {
      const { used, idle } = watched?.use() ?? { used: 0, idle: 0 };
      this.set({ state: 'used' }, used);
      this.set({ state: 'idle' }, idle);
    },
  });
  for (const register of registers) register.registerMetric(connections);
  const gauge = (name: string, help: string, value: (pool: WatchedPool) => number) =>
    new Gauge({
      name: `millrace_database_${name}`,
      help,
      registers,
      collect() {
        if (watched !== undefined) this.set(value(watched));
      },
    });
  gauge('connections_limit', 'Connections that the pool may open', (pool) => pool.use().limit);
  gauge('waiting', 'Callers that wait for a connection', (pool) => pool.use().waiting);
  const seconds = new Histogram({
    name: 'millrace_database_seconds',
    help: 'How long statements and transactions took, with the wait for a connection',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  return (pool) => {
    watched = pool;
    pool.onDone((kind, took) => seconds.observe({ kind }, took));
  };
}
