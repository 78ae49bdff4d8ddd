// The database: the embedded one or the operator's own, brought up to date, and this process's ways
// to it.
import type { Config } from '../config.ts';
import { newId } from '../platform/ids.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import { startEmbedded } from '../store/embedded/supervisor.ts';
import { openQueue } from '../store/jobs/queue.ts';
import type { Queue } from '../store/jobs/queue.ts';
import { createTextFeed } from '../store/jobs/text-feed.ts';
import type { TextFeed } from '../store/jobs/text-feed.ts';
import { createWaitFeed } from '../store/jobs/wait-feed.ts';
import type { WaitFeed } from '../store/jobs/wait-feed.ts';
import type { Db, Listener, Queryable } from '../store/postgres/db.ts';
import { openListener } from '../store/postgres/listen.ts';
import { migrate } from '../store/postgres/migrate.ts';
import { openDb } from '../store/postgres/postgres.ts';
import { SIGNAL_CHANNELS, createSignals } from '../store/postgres/signals.ts';
import type { Signals } from '../store/postgres/signals.ts';
import type { Teardown } from './teardown.ts';
import { MIGRATIONS_FOLDER } from './version.ts';

/** Well below the time after which others give a silent node up. */
const BEAT_TIMEOUT_MS = 3000;

export interface Database {
  url: string;
  db: Db;
  queue: Queue;
  signals: Signals;
  feed: TextFeed;
  waits: WaitFeed;
  /** Receives the signals of other nodes from now on. */
  listen(onConnect: (session: Queryable) => Promise<void>): Promise<Listener>;
  /** Connections of their own for the beat, which must not wait behind anything. */
  openBeatDb(): Db;
}

async function findDatabase(config: Config, log: Logger, teardown: Teardown) {
  if (config.databaseUrl !== undefined) {
    return { url: config.databaseUrl, directUrl: config.databaseDirectUrl ?? config.databaseUrl };
  }
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log: (message) => log.info(message),
  });
  teardown.add('embedded database', () => embedded.stop());
  return { url: embedded.url, directUrl: embedded.url };
}

export async function openDatabase(
  config: Config,
  { log, scrubber }: { log: Logger; scrubber: Scrubber },
  teardown: Teardown,
): Promise<Database> {
  const { url, directUrl } = await findDatabase(config, log, teardown);
  const password = new URL(url).password;
  if (password !== '') scrubber.add(decodeURIComponent(password));
  await migrate({ url: directUrl, folder: MIGRATIONS_FOLDER, log: (text) => log.info(text) });

  const onError = (error: unknown) => log.warn({ err: error }, 'database error');
  const connecting = { url, prepared: config.databasePrepare, onError };
  const db = openDb({ ...connecting, poolSize: config.databasePoolSize });
  teardown.add('database', () => db.close());
  const queue = await openQueue({ db, supervise: config.role !== 'api', onError });
  teardown.add('queue', () => queue.close());
  const signals = createSignals({ originId: newId('sig'), db, onError });
  teardown.add('signals', () => signals.flush());
  const feed = createTextFeed({ db, signals, onError });
  teardown.add('text feed', () => feed.close());
  const waits = createWaitFeed({ db, signals, onError });
  teardown.add('waits', () => waits.close());
  return {
    url,
    db,
    queue,
    signals,
    feed,
    waits,
    async listen(onConnect) {
      const listener = await openListener({
        url: directUrl,
        channels: SIGNAL_CHANNELS,
        onNotification: signals.receive,
        onConnect,
        onError,
      });
      teardown.add('listener', () => listener.close());
      return listener;
    },
    openBeatDb() {
      const beatDb = openDb({
        ...connecting,
        poolSize: 2,
        connectTimeoutMs: BEAT_TIMEOUT_MS,
        queryTimeoutMs: BEAT_TIMEOUT_MS,
      });
      teardown.add('beat connections', () => beatDb.close());
      return beatDb;
    },
  };
}
