import type { Db } from './db.ts';

const READ = { name: 'ready_read', text: 'select 1' };

/**
 * Uses what a submit uses, at the same time: the connection that reads share, and a transaction that may write. A
 * connection that happens to be open says nothing about either.
 */
export async function whyNotWritable(db: Db): Promise<string | undefined> {
  const [{ rows }] = await Promise.all([
    db.tx((tx) =>
      tx.query<{ read_only: string }>(
        `select current_setting('transaction_read_only') as read_only`,
      ),
    ),
    db.read(READ),
  ]);
  return rows[0]?.read_only === 'on' ? 'the database is read-only' : undefined;
}
