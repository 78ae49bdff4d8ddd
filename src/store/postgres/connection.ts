import pg from 'pg';
import type { QueryResult, Statement } from './db.ts';
import { timeLimits } from './time-limits.ts';

export interface ConnectionOptions {
  url: string;
  /** How long a worker may be silent, from which the time limits follow. */
  silenceMs?: number | undefined;
  connectTimeoutMs?: number;
  queryTimeoutMs?: number;
  /** Off for poolers in transaction mode, which know neither names nor startup settings. */
  prepared?: boolean;
}

const INT8 = 20;

// Counts and sequence numbers stay far below 2^53, and a string of digits in an answer would be a
// trap for every caller. Money and other `numeric` values keep the driver's exact string. Made per
// connection, because the driver's own table is shared with everything else in the process.
function rowTypes(): pg.TypeOverrides {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, (text: string) => Number(text));
  return types;
}

export function clientConfig(options: ConnectionOptions): pg.ClientConfig {
  const limits = timeLimits(options.silenceMs);
  const queryTimeoutMs = options.queryTimeoutMs ?? limits.queryMs;
  const config: pg.ClientConfig = {
    connectionString: options.url,
    fallback_application_name: 'millrace',
    connectionTimeoutMillis: options.connectTimeoutMs ?? limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: queryTimeoutMs,
    types: rowTypes(),
  };
  if (options.prepared === false) return config;
  return { ...config, ...serverLimits(options) };
}

/**
 * The server gives up a little before we do: its answer keeps the connection usable, while our own timeout, there for
 * a peer that went silent, has to throw the connection away.
 */
export function statementLimitMs(queryTimeoutMs: number): number {
  return Math.max(1, Math.floor(queryTimeoutMs * 0.9));
}

function serverLimits(options: ConnectionOptions): {
  statement_timeout: number;
  idle_in_transaction_session_timeout: number;
} {
  const { queryMs, idleInTransactionMs } = timeLimits(options.silenceMs);
  return {
    statement_timeout: statementLimitMs(options.queryTimeoutMs ?? queryMs),
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
}

/** How a transaction begins. Poolers refuse startup settings, so there it carries the limits. */
export function beginText(options: ConnectionOptions): string {
  if (options.prepared !== false) return 'begin';
  const limits = serverLimits(options);
  return (
    `begin; set local statement_timeout = ${limits.statement_timeout}; ` +
    `set local idle_in_transaction_session_timeout = ${limits.idle_in_transaction_session_timeout}`
  );
}

export async function runOn<Row>(
  client: pg.ClientBase,
  statement: string | Statement,
  run: { values?: readonly unknown[] | undefined; prepared: boolean },
): Promise<QueryResult<Row>> {
  const { name, text } =
    typeof statement === 'string' ? { name: undefined, text: statement } : statement;
  const config: pg.QueryConfig<unknown[]> = { text };
  if (name !== undefined && run.prepared) config.name = name;
  if (run.values !== undefined) config.values = run.values as unknown[];
  const answer: pg.QueryResult | pg.QueryResult[] = await client.query(config);
  // Several statements in one text answer with a list; the last is the one a caller means.
  const result = Array.isArray(answer) ? answer.at(-1) : answer;
  return { rows: (result?.rows ?? []) as Row[], rowCount: result?.rowCount ?? 0 };
}

const gathering = new WeakSet<pg.ClientBase>();

/** Each statement alone would be a system call. Those that are asked for until `later` runs go out together. */
export function gatherWrites(client: pg.ClientBase, later: (send: () => void) => void): void {
  if (gathering.has(client)) return;
  gathering.add(client);
  const { stream } = (client as pg.Client).connection;
  stream.cork();
  later(() => {
    gathering.delete(client);
    stream.uncork();
  });
}

/** Says goodbye, but not for longer than `ms`: a silent peer would otherwise keep us waiting. */
export async function endWithin(client: pg.Client, ms: number): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), ms);
  try {
    await client.end();
  } finally {
    clearTimeout(timer);
  }
}
