// The database for a command that runs beside a server, or without one.
import { MIGRATIONS_FOLDER } from '../../../app/version.ts';
import type { Config } from '../../../config/config.ts';
import { systemClock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Db } from '../../../store/postgres/db.ts';
import { DataFolderInUseError } from '../../../store/embedded/data-lock.ts';
import { findRunningEmbedded, startEmbedded } from '../../../store/embedded/supervisor.ts';
import { migrate } from '../../../store/postgres/migrate.ts';
import { openDb } from '../../../store/postgres/postgres.ts';
import { createSignals } from '../../../store/postgres/signals.ts';
import type { Signals } from '../../../store/postgres/signals.ts';

const STARTING_MS = 15_000;

export interface DatabaseHandle {
  url: string;
  stop(): Promise<void>;
}

/** One's own database, the one of a running server, or the embedded one started for the moment. */
export async function reachDatabase(config: Config): Promise<DatabaseHandle> {
  if (config.databaseUrl !== undefined) {
    return { url: config.databaseDirectUrl ?? config.databaseUrl, stop: async () => {} };
  }
  // A server that is just starting holds the folder before its database answers.
  for (const until = Date.now() + STARTING_MS; ; await systemClock.sleep(100)) {
    const running = findRunningEmbedded(config.dataDir);
    if (running) return { url: running.url, stop: async () => {} };
    try {
      const embedded = await startEmbedded({ dataDir: config.dataDir });
      return { url: embedded.url, stop: () => embedded.stop() };
    } catch (error) {
      if (!(error instanceof DataFolderInUseError) || Date.now() > until) throw error;
    }
  }
}

export async function withDatabase<T>(
  config: Config,
  work: (deps: { db: Db; signals: Signals }) => Promise<T>,
): Promise<T> {
  const database = await reachDatabase(config);
  try {
    const silenceMs = config.databaseSilenceSeconds * 1000;
    await migrate({ url: database.url, folder: MIGRATIONS_FOLDER, silenceMs });
    // Off unless asked for: a few statements are not worth a look at what is between.
    const prepared = config.databasePrepare === 'on';
    const db = openDb({ url: database.url, silenceMs, poolSize: 2, prepared });
    const signals = createSignals({ originId: newId('sig'), db, onError: () => {} });
    try {
      const result = await work({ db, signals });
      await signals.flush();
      return result;
    } finally {
      await db.close();
    }
  } finally {
    await database.stop();
  }
}
