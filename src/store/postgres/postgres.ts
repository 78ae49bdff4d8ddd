import pg from 'pg';
import type { ConnectionOptions } from './connection.ts';
import { beginText, clientConfig, endWithin, gatherWrites, runOn } from './connection.ts';
import type { PoolUse, QueryResult, Statement, Transaction, WatchedDb } from './db.ts';
import { isInFailedTransaction, leavesConnectionUsable } from './errors.ts';
import { createReader } from './pipelined-reader.ts';
import { createSilenceGuard } from './silence.ts';
import { timeLimits } from './time-limits.ts';

export interface DbOptions extends ConnectionOptions {
  poolSize?: number;
  /** For reads on the shared connection. */
  readTimeoutMs?: number;
  /** Called for connections that broke while nobody was waiting on them. */
  onError?(error: Error): void;
}

const CLOSE_MS = 3_000;

/** Opens no connection yet: a database that is down shows at the first use. */
export function openDb(options: DbOptions): WatchedDb {
  const prepared = options.prepared ?? true;
  const onError = (error: Error): void => options.onError?.(error);
  const limits = timeLimits(options.silenceMs);
  const limit = options.poolSize ?? 10;
  const pool = new pg.Pool({
    ...clientConfig(options),
    pipeline: true,
    max: limit,
    idleTimeoutMillis: 30_000,
  });
  const open = new Set<pg.Client>();
  let closed: Promise<void> | undefined;

  // Each client reports for itself, below; the pool would only say the same again.
  pool.on('error', () => undefined);
  // The pool listens only while a client is idle: one that breaks while it is checked out would
  // otherwise end the process.
  pool.on('connect', (client) => {
    open.add(client);
    client.on('error', onError);
  });
  pool.on('remove', (client) => open.delete(client));

  const reader = createReader({
    ...options,
    queryTimeoutMs: Math.min(
      options.readTimeoutMs ?? limits.readMs,
      options.queryTimeoutMs ?? limits.queryMs,
    ),
    onError,
  });

  const guard = createSilenceGuard({
    ask: (signal) => askOnce(options, signal),
    onSilent() {
      for (const client of open) client.connection.stream.destroy();
      reader.drop();
    },
    answerMs: limits.answerMs,
  });

  async function query<Row>(
    statement: string | Statement,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    const client = await pool.connect();
    let broken = false;
    try {
      return await runOn<Row>(client, statement, { values, prepared });
    } catch (error) {
      broken = isSeveral(statement) || !leavesConnectionUsable(error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async function tx<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    const state: TransactionState = { broken: false, over: false, ended: false, behind: [] };
    const session = transactionSession(client, { prepared, state });
    try {
      session.commitBehind(session.query(beginText(options)));
      const result = await work(session);
      await commit(client, state);
      return result;
    } catch (error) {
      state.over = true;
      // On a broken connection the server rolls back by itself; asking would only wait again.
      if (!state.broken && !state.ended) {
        await client.query('rollback').catch(() => {
          state.broken = true;
        });
      }
      throw error;
    } finally {
      state.over = true;
      client.release(state.broken);
    }
  }

  async function closeAll(): Promise<void> {
    // Work that is still checked out gets this long; after it the sockets go, so that neither a
    // silent server nor a transaction stuck in its own code keeps the process from ending.
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        for (const client of open) client.connection.stream.destroy();
        resolve();
      }, CLOSE_MS);
    });
    guard.close();
    const ended = pool.end().then(() => allRemoved(pool, open));
    try {
      await Promise.all([reader.close(), Promise.race([ended, tooLong])]);
    } finally {
      clearTimeout(timer);
    }
  }

  const listeners: Parameters<WatchedDb['onDone']>[0][] = [];
  async function timed<T>(kind: 'statement' | 'transaction', work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await guard.watch(work);
    } finally {
      const seconds = (performance.now() - begun) / 1000;
      for (const listener of listeners) listener(kind, seconds);
    }
  }

  function use(): PoolUse {
    const { totalCount, idleCount: idle, waitingCount: waiting } = pool;
    return { used: totalCount - idle, idle, waiting, limit };
  }

  return {
    query: (statement, values) => timed('statement', () => query(statement, values)),
    read: (statement, values) => timed('statement', () => reader.read(statement, values)),
    tx: (work) => timed('transaction', () => tx(work)),
    use,
    onDone: (listener) => void listeners.push(listener),
    close: () => (closed ??= closeAll()),
  };
}

/** On a connection of its own, because the others may be lost. Any answer will do, a refusal too. */
async function askOnce(options: ConnectionOptions, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...clientConfig(options), connectionTimeoutMillis: 0 });
  client.on('error', () => undefined);
  const giveUp = () => client.connection.stream.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    signal.removeEventListener('abort', giveUp);
    await endWithin(client, CLOSE_MS).catch(() => undefined);
  }
}

// Statements sent together may begin a transaction of their own, which the first that fails leaves
// open. A semicolon inside a literal is taken for one between statements: that costs a connection.
function isSeveral(statement: string | Statement): boolean {
  const text = typeof statement === 'string' ? statement : statement.text;
  return /;\s*\S/.test(text);
}

interface TransactionState {
  /** The connection is of no further use. */
  broken: boolean;
  /** Nothing more may be asked. */
  over: boolean;
  /** The server has answered the commit. */
  ended: boolean;
  /** What must not fail before the commit. */
  behind: Promise<unknown>[];
  /** Why the server refuses everything from here on. */
  failure?: unknown;
}

function transactionSession(
  client: pg.PoolClient,
  options: { prepared: boolean; state: TransactionState },
): Transaction {
  const { prepared, state } = options;
  return {
    async query(statement, values) {
      // The client may already work for another caller.
      if (state.over) throw new Error('This transaction has ended; its queries must be awaited.');
      gatherWrites(client, process.nextTick);
      try {
        return await runOn(client, statement, { values, prepared });
      } catch (error) {
        if (!leavesConnectionUsable(error)) state.broken = true;
        // Statements that were sent behind one that failed say nothing of why: a full disk, or a bug?
        if (isInFailedTransaction(error)) throw state.failure ?? error;
        state.failure = error;
        throw error;
      }
    },
    commitBehind(statements) {
      state.behind.push(statements);
      // The commit reports it, or a statement that came after it.
      statements.catch(() => undefined);
    },
  };
}

async function commit(client: pg.PoolClient, state: TransactionState): Promise<void> {
  state.over = true;
  gatherWrites(client, process.nextTick);
  const [committed, ...before] = await Promise.allSettled([
    client.query('commit'),
    ...state.behind,
  ]);
  if (committed.status === 'fulfilled') state.ended = true;
  else if (!leavesConnectionUsable(committed.reason)) state.broken = true;
  // What failed first is the reason for all that failed after it.
  for (const outcome of [...before, committed]) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
  // A transaction whose failed statement was swallowed answers COMMIT with a quiet ROLLBACK.
  if (committed.status === 'fulfilled' && committed.value.command !== 'COMMIT') {
    throw new Error('The transaction was rolled back: one of its statements failed unnoticed.');
  }
}

// The pool forgets a client before its goodbye has left the socket.
async function allRemoved(pool: pg.Pool, open: Set<pg.Client>): Promise<void> {
  if (open.size === 0) return;
  await new Promise<void>((resolve) => {
    pool.on('remove', () => {
      if (open.size === 0) resolve();
    });
  });
}
