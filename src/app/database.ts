// This process's ways to the database.
import type { Config } from '../config/config.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import { createTextFeed } from '../store/jobs/text-feed.ts';
import type { TextFeed } from '../store/jobs/text-feed.ts';
import { createWaitFeed } from '../store/jobs/wait-feed.ts';
import type { WaitFeed } from '../store/jobs/wait-feed.ts';
import { followDatabaseClock } from '../store/postgres/database-clock.ts';
import type { Db, Listener, Queryable, WatchedDb } from '../store/postgres/db.ts';
import { openListener } from '../store/postgres/listen.ts';
import { openDb } from '../store/postgres/postgres.ts';
import type { DatabaseModes } from '../store/postgres/modes.ts';
import { createNotifyCarrier, createTableCarrier } from '../store/postgres/signal-carriers.ts';
import { SIGNAL_CHANNELS } from '../store/postgres/signal-notify.ts';
import { startSignalPoller } from '../store/postgres/signal-poll.ts';
import { createSignals } from '../store/postgres/signals.ts';
import type { Signals } from '../store/postgres/signals.ts';
import { timeLimits } from '../store/postgres/time-limits.ts';
import type { PreparedDatabase } from './prepare-database.ts';
import type { Siblings } from './siblings.ts';
import type { Teardown } from './teardown.ts';

export interface Database {
  url: string;
  modes: DatabaseModes;
  db: WatchedDb;
  signals: Signals;
  feed: TextFeed;
  waits: WaitFeed;
  /**
   * Receives the signals of other nodes from now on. `onConnect` is called for new sessions, and for signals that
   * may have been missed. There is a session only where something needs one.
   */
  listen(onConnect: OnConnect): Promise<Listener | undefined>;
  /** A connection of its own for the beat, which must not wait behind anything. */
  openBeatDb(): Db;
}

type OnConnect = (session: Queryable | undefined) => Promise<void>;

export async function openDatabase(
  config: Config,
  { url, directUrl, modes }: PreparedDatabase,
  { log, siblings }: { log: Logger; siblings?: Siblings | undefined },
  teardown: Teardown,
): Promise<Database> {
  const onError = (error: unknown) => log.warn({ err: error }, 'database error');
  const silenceMs = config.databaseSilenceSeconds * 1000;
  const connecting = { url, silenceMs, prepared: modes.prepared.mode === 'on', onError };
  const db = openDb({ ...connecting, poolSize: config.databasePoolSize });
  teardown.add('database', () => db.close());
  const clock = await followDatabaseClock(db, onError);
  teardown.add('database clock', () => clock.close());
  const notifies = modes.signals.mode === 'notify' ? createNotifyCarrier({ db }) : undefined;
  const signals = createSignals({
    originId: siblings?.originId ?? newId('sig'),
    link: siblings?.signals,
    db,
    carrier: notifies ?? createTableCarrier({ db }),
    onError,
  });
  teardown.add('signals', () => signals.flush());
  const ownFeed = createTextFeed({ db, signals, onError });
  const feed = siblings?.shareText(ownFeed) ?? ownFeed;
  teardown.add('text feed', () => feed.close());
  const waits = createWaitFeed({ db, signals, onError });
  teardown.add('waits', () => waits.close());
  return {
    url,
    modes,
    db,
    signals,
    feed,
    waits,
    async listen(onConnect) {
      if (notifies === undefined) {
        const onGap = () => onConnect(undefined);
        const poller = startSignalPoller({ db, signals, onGap, onError });
        teardown.add('signal poller', () => poller.close());
      }
      const needsLock = modes.liveness.mode === 'lock';
      if (notifies === undefined && !needsLock) return undefined;
      const listener = await openListener({
        url: directUrl,
        silenceMs,
        channels: notifies === undefined ? [] : SIGNAL_CHANNELS,
        onNotification(notification) {
          const signal = notifies?.read(notification);
          if (signal) signals.receive(signal.originId, signal.message);
        },
        onConnect,
        onError,
      });
      teardown.add('listener', () => listener.close());
      return listener;
    },
    openBeatDb() {
      const { beatMs } = timeLimits(silenceMs);
      const short = { connectTimeoutMs: beatMs, queryTimeoutMs: beatMs };
      const beatDb = openDb({ ...connecting, ...short, poolSize: 1 });
      teardown.add('beat connection', () => beatDb.close());
      return beatDb;
    },
  };
}
