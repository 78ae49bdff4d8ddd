// Whether this node can do its work right now.
import { ping } from '../store/postgres/db.ts';
import type { Db } from '../store/postgres/db.ts';

export interface HealthService {
  /** Undefined when ready, else why not. */
  notReady(): Promise<string | undefined>;
  /** From now on not ready: the node is stopping. */
  beginStop(): void;
}

const ANSWER_MS = 2000;

export function createHealthService(deps: { db: Db }): HealthService {
  let stopping = false;
  return {
    beginStop: () => void (stopping = true),
    async notReady() {
      if (stopping) return 'stopping';
      const late = Promise.withResolvers<string>();
      const timer = setTimeout(() => late.resolve('the database does not respond'), ANSWER_MS);
      try {
        const asked = ping(deps.db).then(() => undefined);
        return await Promise.race([asked, late.promise]);
      } catch {
        return 'the database cannot be reached';
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
