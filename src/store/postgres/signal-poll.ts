// Asks the table of signals what is new. A signal may become visible later than one that was sent after it,
// so each look goes back a while and leaves out what is known. By the database's clock alone.
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from './db.ts';
import { announcePoller } from './signal-notify.ts';
import { deleteOldSignals, listSignals } from './signal-table.ts';
import type { Signals } from './signals.ts';

/** With the time for which senders gather: work is heard of within a second. */
export const POLL_MS = 800;
const LOOK_BACK_MS = 5_000;
const KEEP_MS = 60_000;
/** Of looks; those who listen believe one word for longer than this takes. */
const TIDY_EVERY = 30;

export interface SignalPoller {
  close(): Promise<void>;
}

export function startSignalPoller(deps: {
  db: Queryable;
  signals: Signals;
  /** Signals may have been missed. */
  onGap(): Promise<void> | void;
  onError(error: unknown): void;
}): SignalPoller {
  const closing = new AbortController();
  /** When each was first seen. */
  const known = new Map<string, number>();
  let askedAt = performance.now();
  let hadGap = false;

  async function look(): Promise<void> {
    const now = performance.now();
    const withinMs = Math.min(KEEP_MS, LOOK_BACK_MS + now - askedAt);
    const rows = await listSignals(deps.db, { withinMs, except: [...known.keys()] });
    for (const [id, seenAt] of known) {
      if (askedAt - seenAt > 2 * LOOK_BACK_MS) known.delete(id);
    }
    askedAt = now;
    for (const { id, origin, name, ids } of rows) {
      known.set(id, now);
      deps.signals.receive(origin, { name, ids });
    }
    if (!hadGap) return;
    hadGap = false;
    await deps.onGap();
  }

  async function tidy(): Promise<void> {
    await deleteOldSignals(deps.db, KEEP_MS);
    // A database that cannot do this has nobody who listens.
    await announcePoller(deps.db).catch(() => undefined);
  }

  async function loop(): Promise<void> {
    for (let count = 0; !closing.signal.aborted; count += 1) {
      try {
        await look();
        if (count % TIDY_EVERY === 0) await tidy();
      } catch (error) {
        hadGap = true;
        deps.onError(error);
      }
      await delay(POLL_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const looping = loop();
  return {
    async close() {
      closing.abort();
      await looping;
    },
  };
}
