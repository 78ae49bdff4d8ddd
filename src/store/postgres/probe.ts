// What a database can do, found out by doing it: products that call themselves compatible accept statements
// that then do nothing, and a pooler changes what the best database can do.
import pg from 'pg';
import { newId } from '../../platform/ids.ts';
import { DatabaseUnsuitableError, sqlState } from './errors.ts';
import { chooseModes } from './modes.ts';
import type { DatabaseModes, WantedModes } from './modes.ts';
import { noSkipLocked } from './requirements.ts';
import { isOwnSession, locksHold, notificationsArrive } from './probe-session.ts';
import { startMs } from './time-limits.ts';

export interface DatabaseUrls {
  url: string;
  /** Past a pooler, where there is one. */
  directUrl: string;
}

const TIMEOUT_MS = startMs();

async function connect(url: string, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    fallback_application_name: 'millrace-probe',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    ...settings,
  });
  // Queries in flight reject on their own; this only keeps the event from ending the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** With a setting for the session, as `connection.ts` has them, where that is not refused. */
async function connectAsPool(url: string): Promise<{ client: pg.Client; takesSettings: boolean }> {
  try {
    const client = await connect(url, { statement_timeout: TIMEOUT_MS });
    return { client, takesSettings: true };
  } catch (error) {
    // Protocol violation: "unsupported startup parameter".
    if (sqlState(error) !== '08P01') throw error;
    return { client: await connect(url), takesSettings: false };
  }
}

async function ending<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A statement that is refused says no; a lost connection says nothing. */
async function does(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** SQLSTATE classes 0A (not supported), 42 (no such thing, no right) and 57014 (took too long). */
function isRefusal(error: unknown): boolean {
  return /^(0A|42|57014)/.test(sqlState(error) ?? '');
}

interface Findings {
  /** Of DATABASE_URL. */
  isPooled: boolean;
  /** Of the direct URL. */
  hasSession: boolean;
  notifies: boolean;
  locks: boolean;
}

interface Ways {
  direct: pg.Client;
  pooled: pg.Client;
  takesSettings: boolean;
}

async function withWays<T>(
  { url, directUrl }: DatabaseUrls,
  work: (ways: Ways) => Promise<T>,
): Promise<T> {
  const { client: pooled, takesSettings } = await connectAsPool(url);
  return ending(pooled, async () => {
    const direct = await connect(directUrl);
    return ending(direct, () => work({ direct, pooled, takesSettings }));
  });
}

async function look(
  { url, directUrl }: DatabaseUrls,
  { direct, pooled, takesSettings }: Ways,
): Promise<Findings> {
  const besideAnother = async (client: pg.Client, at: string) => {
    const other = await connect(at);
    return ending(other, () => isOwnSession(client, other));
  };
  const isSame = url === directUrl;
  const hasSession = isSame
    ? await isOwnSession(direct, pooled)
    : await besideAnother(direct, directUrl);
  const isOwn = isSame ? hasSession : await besideAnother(pooled, url);
  const known = {
    isPooled: !isOwn || !takesSettings,
    hasSession,
  };
  if (!hasSession) return { ...known, notifies: false, locks: false };
  const notifies = await does(() => notificationsArrive(direct, pooled));
  // Last, because it ends the connection.
  const locks = await does(() => locksHold(direct, pooled));
  return { ...known, notifies, locks };
}

const POOLED = 'DATABASE_URL points to a pooler';

/** Chooses what works, or refuses what was asked for and does not. */
export async function probeDatabase(
  urls: DatabaseUrls,
  wanted: WantedModes,
  { hasSchema }: { hasSchema: boolean },
): Promise<DatabaseModes> {
  const found = await withWays(urls, async (ways) => {
    if (hasSchema) await checkRows(ways);
    return look(urls, ways);
  });
  const lacking = (what: string) =>
    found.hasSession ? what : 'connections are not sessions of their own, as behind a pooler';
  const noNotify = lacking('notifications do not arrive');
  const noLock = lacking('locks do not hold');
  if (wanted.signals === 'notify' && !found.notifies) {
    throw unsuitable('MILLRACE_DATABASE_SIGNALS=notify', noNotify);
  }
  if (wanted.liveness === 'lock' && !found.locks) {
    throw unsuitable('MILLRACE_DATABASE_LIVENESS=lock', noLock);
  }
  const best: DatabaseModes = {
    signals: found.notifies
      ? { mode: 'notify', why: 'notifications arrive' }
      : { mode: 'poll', why: noNotify },
    liveness: found.locks ? { mode: 'lock', why: 'locks hold' } : { mode: 'lease', why: noLock },
    prepared: found.isPooled ? { mode: 'off', why: POOLED } : { mode: 'on', why: 'no pooler' },
  };
  return chooseModes(wanted, best);
}

function unsuitable(setting: string, why: string): DatabaseUnsuitableError {
  return new DatabaseUnsuitableError(
    `${setting} does not work with this database: ${why}. ` +
      'Set DATABASE_DIRECT_URL to a direct connection, or unset the setting.',
  );
}

/** Both ways lead to the same rows, and a row that is locked is skipped. */
async function checkRows({ direct, pooled }: Ways): Promise<void> {
  const id = newId('sig');
  const inserted = await does(async () => {
    const text = `insert into signals (id, origin, name, ids) values ($1, 'probe', 'probe', '{}')`;
    return (await pooled.query(text, [id])).rowCount === 1;
  });
  const { rows } = await direct.query('select 1 from signals where id = $1', [id]);
  if (!inserted || rows.length === 0) {
    throw new DatabaseUnsuitableError(
      'DATABASE_URL and DATABASE_DIRECT_URL point to different databases. Set both to the same one.',
    );
  }
  try {
    await direct.query('begin');
    await direct.query('select 1 from signals where id = $1 for update', [id]);
    if (!(await does(() => isSkipped(pooled, id)))) throw noSkipLocked();
  } finally {
    await direct.query('rollback');
    await direct.query('delete from signals where id = $1', [id]);
  }
}

async function isSkipped(client: pg.Client, id: string): Promise<boolean> {
  await client.query(`begin; set local statement_timeout = '15s'`);
  try {
    const text = 'select 1 from signals where id = $1 for update skip locked';
    return (await client.query(text, [id])).rows.length === 0;
  } finally {
    await client.query('rollback');
  }
}
