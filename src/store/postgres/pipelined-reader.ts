import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ConnectionOptions } from './connection.ts';
import { clientConfig, endWithin, gatherWrites, runOn } from './connection.ts';
import type { QueryResult, Statement } from './db.ts';
import {
  ConnectionLostError,
  isStaleStatement,
  isUnavailable,
  leavesConnectionUsable,
} from './errors.ts';

export interface ReaderOptions extends ConnectionOptions {
  onError(error: Error): void;
}

export interface Reader {
  read<Row>(statement: Statement, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /** Gives the connection up; the next read makes a new one. */
  drop(): void;
  close(): Promise<void>;
}

const CLOSE_MS = 2_000;
const FIRST_BACKOFF_MS = 25;
const LONGEST_BACKOFF_MS = 1_000;

/** One connection in pipeline mode that all callers share, and that comes back when it is lost. */
export function createReader(options: ReaderOptions): Reader {
  const prepared = options.prepared ?? true;
  const closing = new AbortController();
  let connecting: Promise<pg.Client> | undefined;
  let client: pg.Client | undefined;
  let opening: pg.Client | undefined;
  let failures = 0;
  /** Their reads are not tried again: the callers have been answered. */
  const dropped = new WeakSet<pg.Client>();

  function forget(lost: pg.Client): void {
    if (client !== lost) return;
    client = undefined;
    connecting = undefined;
  }

  // Destroying the stream rejects whatever else is in flight on it; those reads retry elsewhere.
  function discard(lost: pg.Client): void {
    forget(lost);
    lost.connection.stream.destroy();
  }

  async function connect(): Promise<pg.Client> {
    // Callers wait out the pause instead of failing: a restart of the database that takes less
    // than this goes unnoticed, and a dead one costs them a second before they hear of it.
    if (failures > 0) {
      const pause = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
      await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    if (closing.signal.aborted) throw new ConnectionLostError('The database connection is closed.');
    const next = new pg.Client({ ...clientConfig(options), pipeline: true });
    next.on('error', (error) => {
      forget(next);
      options.onError(error);
    });
    next.on('end', () => forget(next));
    opening = next;
    try {
      await next.connect();
      opening = undefined;
    } catch (error) {
      opening = undefined;
      failures += 1;
      connecting = undefined;
      next.connection.stream.destroy();
      throw error;
    }
    failures = 0;
    client = next;
    return next;
  }

  async function read<Row>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      connecting ??= connect();
      const session = client ?? (await connecting);
      // Under load one turn of the event loop brings many.
      gatherWrites(session, setImmediate);
      try {
        return await runOn<Row>(session, statement, { values, prepared });
      } catch (error) {
        if (!leavesConnectionUsable(error)) discard(session);
        const isOver = closing.signal.aborted || dropped.has(session);
        if (attempt > 1 || isOver || !isWorthRetrying(error)) throw error;
      }
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    const last = await connecting?.catch(() => undefined);
    if (last) await endWithin(last, CLOSE_MS);
  }

  function drop(): void {
    opening?.connection.stream.destroy();
    if (client === undefined) return;
    dropped.add(client);
    discard(client);
  }

  return { read, drop, close };
}

// A read changes nothing, so one that was lost with its connection may run again, sent or not. One
// that used up its own time may not: the caller has waited long enough.
function isWorthRetrying(error: unknown): boolean {
  if (isStaleStatement(error)) return true;
  if (leavesConnectionUsable(error) || !isUnavailable(error)) return false;
  return !(error instanceof Error && error.message === 'Query read timeout');
}
