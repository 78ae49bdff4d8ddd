// When keys and sessions were used last, to the minute. The first use is written within seconds: people wait for
// it on the page that says how to connect.
import type { Logger } from '../platform/log.ts';
import { updateKeysLastUsed } from '../store/accounts/accounts.ts';
import { updateSessionsLastUsed } from '../store/accounts/sessions.ts';
import type { Db } from '../store/postgres/db.ts';

const WRITE_EVERY_MS = 2000;
const PRECISION_MS = 60_000;

const WRITERS = { key: updateKeysLastUsed, session: updateSessionsLastUsed };
type Kind = keyof typeof WRITERS;

export interface LastUsed {
  note(kind: Kind, id: string): void;
  close(): Promise<void>;
}

export function createLastUsed(deps: { db: Db; log: Logger }): LastUsed {
  const used = { key: new Set<string>(), session: new Set<string>() };
  /** Those of the last minute, oldest first: they are not written again. */
  const writtenAt = new Map<string, number>();

  function forgetOld(now: number): void {
    for (const [id, at] of writtenAt) {
      if (now - at < PRECISION_MS) return;
      writtenAt.delete(id);
    }
  }

  async function write(): Promise<void> {
    const now = performance.now();
    forgetOld(now);
    for (const kind of ['key', 'session'] as const) {
      if (used[kind].size === 0) continue;
      const ids = [...used[kind]];
      used[kind].clear();
      for (const id of ids) writtenAt.set(id, now);
      try {
        await WRITERS[kind](deps.db, ids);
      } catch (error) {
        deps.log.warn({ err: error }, `cannot record when each ${kind} was used`);
      }
    }
  }

  const timer = setInterval(() => void write(), WRITE_EVERY_MS);
  timer.unref();
  return {
    note(kind, id) {
      if (!writtenAt.has(id)) used[kind].add(id);
    },
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}
