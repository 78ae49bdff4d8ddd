// How far this machine's clock is from the database's. Ids carry the time they were made, and lists, partitions
// and retention go by it: on many machines only the one clock that they share can put them in order.
import { setTimeout as delay } from 'node:timers/promises';
import { idSkew, setIdSkew } from '../../platform/ids.ts';
import type { Db } from './db.ts';

const EVERY_MS = 30_000;
/** One answer may be slow, and a slow one says little. */
const QUESTIONS_AT_START = 3;

/**
 * The answer says the time at some moment between question and arrival, so the skew lies between two bounds.
 * The one that is known stays as long as it does: on the database's own machine that is exactly none, however
 * busy it is, and ids of several processes there keep their order.
 */
export async function adjustedSkewMs(
  db: Pick<Db, 'query'>,
  knownMs: number,
  now: () => number = Date.now,
): Promise<number> {
  const askedAt = now();
  const { rows } = await db.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  );
  const arrivedAt = now();
  const { ms } = rows[0]!;
  // Both clocks are read in whole milliseconds.
  const least = ms - arrivedAt - 1;
  const most = ms - askedAt + 1;
  return knownMs >= least && knownMs <= most ? knownMs : (least + most) / 2;
}

/** Ids of this process are made by the database's clock from now on. */
export async function followDatabaseClock(
  db: Pick<Db, 'query'>,
  onError: (error: unknown) => void,
): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  async function adjust(): Promise<void> {
    try {
      setIdSkew(await adjustedSkewMs(db, idSkew()));
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
  for (let asked = 0; asked < QUESTIONS_AT_START; asked++) await adjust();
  const running = keepAdjusting();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}
