// The two ways in which other nodes see that a node lives. With a lock, which goes with the process, a killed node is
// noticed within seconds. Without, its beat is a lease: others wait until it has run out, and the node
// itself stops its calls before.
import { lockNode } from './nodes.ts';
import type { Queryable } from '../postgres/db.ts';

export interface Liveness {
  readonly holdsLock: boolean;
  /** When others may look whether the lock is free; never where there is none. */
  readonly suspectMs: number | undefined;
  /** To be called with each new session, and each new name of the node. */
  hold(session: Queryable | undefined, nodeId: string): Promise<void>;
}

const SUSPECT_MS = 2000;

export const LIVENESS = {
  lock: {
    holdsLock: true,
    suspectMs: SUSPECT_MS,
    async hold(session, nodeId) {
      if (session !== undefined) await lockNode(session, nodeId);
    },
  },
  lease: { holdsLock: false, suspectMs: undefined, hold: async () => {} },
} satisfies Record<string, Liveness>;
export type LivenessMode = keyof typeof LIVENESS;
