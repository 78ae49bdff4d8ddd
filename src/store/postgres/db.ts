// The store's view of PostgreSQL: the only door to the database. Implemented in postgres.ts.
import { isRetryableConflict, isUnavailable } from './errors.ts';

export interface QueryResult<Row> {
  rows: Row[];
  rowCount: number;
}

/** A statement with a name is prepared once per connection (unless prepared names are off). */
export interface Statement {
  name?: string;
  text: string;
}

export interface Queryable {
  query<Row>(statement: string | Statement, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

/**
 * Statements are sent as they are asked for and run in that order, so those that do not need each
 * other's answers need not wait for each other: one journey for all of them.
 */
export interface Transaction extends Queryable {
  /**
   * For statements that are on their way and whose answers nobody needs: the commit follows them
   * without waiting, and the transaction fails when they do.
   */
  commitBehind(statements: Promise<unknown>): void;
}

export interface Notification {
  channel: string;
  payload: string;
}

export interface Db extends Queryable {
  /**
   * One short statement on the shared pipelined connection: many callers, one socket, no waiting
   * for a free connection. Never for transactions, locks or anything that may take long, because
   * whatever comes later on that connection waits behind it.
   */
  read<Row>(statement: Statement, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /** Runs `work` in one transaction; rolls back when it throws. */
  tx<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Of the connections that `query` and `tx` take turns at. */
export interface PoolUse {
  used: number;
  idle: number;
  /** Callers that wait for one. */
  waiting: number;
  limit: number;
}

export interface WatchedDb extends Db {
  use(): PoolUse;
  /** Called with how long each statement and each transaction took, with the wait for a connection. */
  onDone(listener: (kind: 'statement' | 'transaction', seconds: number) => void): void;
}

export interface Listener {
  /** Runs on the listener's own session, where advisory locks live as long as the process. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  close(): Promise<void>;
}

export interface ListenOptions {
  channels: readonly string[];
  onNotification(notification: Notification): void;
  /** After each (re)connect, once the channels are listened to: notifications may have been missed. */
  onConnect(session: Queryable): Promise<void> | void;
  onDisconnect?(): void;
}

/**
 * Runs `work`; when it throws because of a bug, what it wrote is undone and `onError` runs instead. A
 * conflict or a lost connection ends the whole transaction.
 */
export async function inSavepoint(
  tx: Queryable,
  work: () => Promise<void>,
  onError: (error: unknown) => Promise<void>,
): Promise<void> {
  await tx.query('savepoint attempt');
  try {
    await work();
  } catch (error) {
    if (isRetryableConflict(error) || isUnavailable(error)) throw error;
    await tx.query('rollback to savepoint attempt');
    await onError(error);
  }
  await tx.query('release savepoint attempt');
}

/** Fails when the database does not answer. */
export async function ping(db: Queryable): Promise<void> {
  await db.query('select 1');
}
