import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, endWithin, runOn, statementLimitMs } from './connection.ts';
import type { Listener, ListenOptions, Queryable } from './db.ts';
import { ConnectionLostError } from './errors.ts';
import { timeLimits } from './time-limits.ts';

export interface OpenListenerOptions extends ListenOptions {
  /** A direct URL: LISTEN and session locks do not work through a pooler in transaction mode. */
  url: string;
  silenceMs?: number | undefined;
  connectTimeoutMs?: number;
  heartbeatMs?: number;
  onError?(error: Error): void;
}

interface Session extends Queryable {
  /** Settles, without rejecting, when the connection is gone. */
  readonly lost: Promise<void>;
  end(): Promise<void>;
}

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 2_000;
const CLOSE_MS = 2_000;
/** A database that is slow to take up a new session has not gone silent. */
const SETUP_MS = 30_000;

/** Rejects when the first connect fails; from then on it reconnects by itself until closed. */
export async function openListener(options: OpenListenerOptions): Promise<Listener> {
  const closing = new AbortController();
  let session: Session | undefined = await openSession(options);

  async function reconnect(): Promise<Session | undefined> {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      const pause = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
      await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) break;
      try {
        return await openSession(options);
      } catch (error) {
        report(options, error);
      }
    }
    return undefined;
  }

  async function keepListening(): Promise<void> {
    while (session) {
      await session.lost;
      session = undefined;
      if (closing.signal.aborted) return;
      try {
        options.onDisconnect?.();
      } catch (error) {
        report(options, error);
      }
      session = await reconnect();
      // Closed while the reconnect was under way: close() saw no session to end.
      if (closing.signal.aborted) await session?.end();
    }
  }

  const listening = keepListening();
  return {
    async query(text, values) {
      if (!session) throw new ConnectionLostError('The listening connection is down.');
      return session.query(text, values);
    },
    async close() {
      closing.abort();
      await session?.end();
      await listening;
    },
  };
}

function report(options: OpenListenerOptions, error: unknown): void {
  options.onError?.(error instanceof Error ? error : new Error(String(error)));
}

async function openSession(options: OpenListenerOptions): Promise<Session> {
  const heartbeatMs = options.heartbeatMs ?? timeLimits(options.silenceMs).heartbeatMs;
  // Pipeline mode for its two manners: queries may overlap, and one that gets no answer in time
  // ends the connection, which is the only cure for a peer that has gone silent.
  const client = new pg.Client({
    ...clientConfig({
      url: options.url,
      silenceMs: options.silenceMs,
      queryTimeoutMs: SETUP_MS,
      // Poolers in session mode refuse settings when a connection starts; the limit is set below.
      prepared: false,
      ...(options.connectTimeoutMs === undefined
        ? {}
        : { connectTimeoutMs: options.connectTimeoutMs }),
    }),
    pipeline: true,
  });
  const lost = new Promise<void>((resolve) => {
    client.on('end', resolve);
  });
  client.on('error', (error) => {
    options.onError?.(error);
    client.connection.stream.destroy();
  });
  client.on('notification', ({ channel, payload }) => {
    // A throw from here would end up in the driver's parser.
    try {
      options.onNotification({ channel, payload: payload ?? '' });
    } catch (error) {
      report(options, error);
    }
  });
  const session: Session = {
    query: (statement, values) => runOn(client, statement, { values, prepared: false }),
    lost,
    end: () => endWithin(client, CLOSE_MS),
  };
  try {
    await client.connect();
    await session.query(`set statement_timeout = ${statementLimitMs(SETUP_MS)}`);
    for (const channel of options.channels) {
      await session.query(`listen ${pg.escapeIdentifier(channel)}`);
    }
    await options.onConnect(session);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
  startHeartbeat(client, heartbeatMs);
  return session;
}

// TCP alone notices a vanished peer only after minutes; notifications would be missed all the while.
function startHeartbeat(client: pg.Client, everyMs: number): void {
  const timer = setInterval(() => {
    const beat: pg.QueryConfig & { query_timeout: number } = {
      text: 'select 1',
      query_timeout: everyMs,
    };
    client.query(beat).catch(() => client.connection.stream.destroy());
  }, everyMs);
  client.on('end', () => clearInterval(timer));
}
