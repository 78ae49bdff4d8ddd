// Whether this node can do its work right now.
import type { QueueLoad } from '../platform/metrics.ts';
import { findQueueLoad } from '../store/jobs/queue-load.ts';
import { isOutOfConnections } from '../store/postgres/errors.ts';
import { whyNotWritable } from '../store/postgres/readiness.ts';
import type { Db } from '../store/postgres/db.ts';

export interface HealthService {
  /** Undefined when ready, else why not. */
  notReady(): Promise<string | undefined>;
  /** The node has started all of its parts. */
  markStarted(): void;
  /** From now on not ready: the node is stopping. */
  beginStop(): void;
  isStopping(): boolean;
  /** Of all nodes. `demand`: jobs that workers are running or could be. */
  queueLoad(): Promise<QueueLoad & { demand: number }>;
}

const ANSWER_MS = 2000;

export function createHealthService(deps: { db: Db }): HealthService {
  let phase: 'starting' | 'started' | 'stopping' = 'starting';
  return {
    markStarted: () => void (phase = 'started'),
    beginStop: () => void (phase = 'stopping'),
    isStopping: () => phase === 'stopping',
    async queueLoad() {
      const load = await findQueueLoad(deps.db);
      return { ...load, demand: load.running + load.claimable };
    },
    async notReady() {
      if (phase === 'stopping') return 'stopping';
      if (phase === 'starting') return 'the server is starting';
      const late = Promise.withResolvers<string>();
      const timer = setTimeout(() => late.resolve('the database does not respond'), ANSWER_MS);
      try {
        return await Promise.race([whyNotWritable(deps.db), late.promise]);
      } catch (error) {
        return isOutOfConnections(error)
          ? 'the database has no connection left (max_connections, or the limit of a pooler or role)'
          : 'the database cannot be reached';
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
