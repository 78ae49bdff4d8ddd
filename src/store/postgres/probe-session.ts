// Whether a connection is a session of its own. A pooler in transaction mode lends out a session for a
// transaction at a time: what one client locks or listens to then belongs to the next client.
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import type pg from 'pg';

/** Long enough for a slow machine; waited for in full only where the answer is no. */
const ARRIVE_MS = 10_000;
const ASK_EVERY_MS = 20;

async function pidOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: string }>('select pg_backend_pid()::text as pid');
  return rows[0]?.pid ?? '';
}

/** Another client keeps a transaction open meanwhile, for which a pooler needs a session. */
export async function isOwnSession(client: pg.Client, other: pg.Client): Promise<boolean> {
  const pid = await pidOf(client);
  await other.query('begin');
  try {
    if ((await pidOf(other)) === pid) return false;
    return (await pidOf(client)) === pid;
  } finally {
    await other.query('rollback');
  }
}

/**
 * A lock on a session keeps others out, and goes with the session. The other client asks in one transaction,
 * so that a pooler cannot give it the session that has the lock in between. Ends `holder`.
 */
export async function locksHold(holder: pg.Client, other: pg.Client): Promise<boolean> {
  const key = randomInt(2 ** 47);
  const isFree = async () => {
    const { rows } = await other.query<{ got: boolean }>(
      'select pg_try_advisory_xact_lock($1::bigint) as got',
      [key],
    );
    return rows[0]?.got === true;
  };
  await holder.query('select pg_advisory_lock($1::bigint)', [key]);
  await other.query('begin');
  try {
    if (await isFree()) return false;
    await holder.end();
    for (const until = performance.now() + ARRIVE_MS; performance.now() < until;) {
      if (await isFree()) return true;
      await delay(ASK_EVERY_MS);
    }
    return false;
  } finally {
    await other.query('rollback');
  }
}

/** What one client notifies reaches another that listens and asks nothing. */
export async function notificationsArrive(listener: pg.Client, other: pg.Client): Promise<boolean> {
  const word = `probe-${randomInt(2 ** 47)}`;
  const arrived = Promise.withResolvers<boolean>();
  const onNotification = ({ payload }: { payload?: string | undefined }) => {
    if (payload === word) arrived.resolve(true);
  };
  listener.on('notification', onNotification);
  const timer = setTimeout(() => {
    // When this process itself was held up, it may be here and only not be read yet.
    void nextTurn()
      .then(() => nextTurn())
      .then(() => arrived.resolve(false));
  }, ARRIVE_MS);
  try {
    await listener.query('listen millrace_probe');
    await other.query(`select pg_notify('millrace_probe', $1)`, [word]);
    return await arrived.promise;
  } finally {
    clearTimeout(timer);
    listener.off('notification', onNotification);
  }
}
