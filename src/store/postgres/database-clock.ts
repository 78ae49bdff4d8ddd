// How far this machine's clock is from the database's. Ids carry the time they were made, and lists, partitions
// and retention go by it: on many machines only the one clock that they share can put them in order.
import { setTimeout as delay } from 'node:timers/promises';
import { setIdSkew } from '../../platform/ids.ts';
import type { Db } from './db.ts';

const EVERY_MS = 30_000;
/** The answer says the time at some moment between question and arrival: a slow one says too little. */
const MOST_TRIP_MS = 1000;

export async function findSkewMs(
  db: Pick<Db, 'query'>,
  now: () => number = Date.now,
): Promise<number | undefined> {
  const askedAt = now();
  const { rows } = await db.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  );
  const tripMs = now() - askedAt;
  return tripMs > MOST_TRIP_MS ? undefined : rows[0]!.ms - (askedAt + tripMs / 2);
}

/** Ids of this process are made by the database's clock from now on. */
export async function followDatabaseClock(
  db: Pick<Db, 'query'>,
  onError: (error: unknown) => void,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  async function adjust(): Promise<void> {
    try {
      const skewMs = await findSkewMs(db);
      if (skewMs !== undefined) setIdSkew(skewMs);
    } catch (error) {
      if (!closing.signal.aborted) onError(error);
    }
  }
  async function keepAdjusting(): Promise<void> {
    const { signal } = closing;
    for (;;) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await adjust();
    }
  }
  await adjust();
  const running = keepAdjusting();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
