// A server within a command, for the time of it.
import { startApp } from '../../../app/app.ts';
import type { Config } from '../../../config/config.ts';
import { createLogger, createScrubber } from '../../../platform/log.ts';
import { writeOwnerKey } from '../../../platform/owner-key.ts';
import { createApiKeyService } from '../../../services/accounts/api-keys.ts';
import { keptOwnerKey } from '../../kept-owner-key.ts';
import { untilUnused } from '../../../platform/server-users.ts';
import { note } from '../../terminal/output.ts';
import { withDatabase } from './database.ts';

export interface OwnServer {
  url: string;
  key: string;
  databaseUrl: string;
  close(): Promise<void>;
}

/** Where no folder keeps it, every command makes its own. */
const KEY_DAYS = 7;

/** A key of the local owner. In the data folder of an embedded database it is kept for the next command. */
export async function makeOwnerKey(config: Config, keep = config.databaseUrl === undefined) {
  const key = await withDatabase(config, async (deps) => {
    const keys = createApiKeyService({ ...deps, defaultTier: config.defaultTier });
    const created = await keys.create({
      email: undefined,
      name: keep ? 'commands on the machine of the server' : 'a command',
      tier: undefined,
      // All that the owner may do, on every page of the dashboard as well.
      scopes: ['admin'],
      expiresInDays: keep ? undefined : KEY_DAYS,
    });
    return created.key;
  });
  if (keep) await writeOwnerKey(config.dataDir, key);
  return key;
}

const onWaiting = () =>
  note('Other commands still use this server; waiting for them. Press ctrl-c to stop it now.');

/** Quiet: what it has to say is a warning at least. */
export async function startOwnServer(asked: Config): Promise<OwnServer> {
  const config: Config = { ...asked, role: 'all', drainSeconds: 1, logLevel: 'warn' };
  const scrubber = createScrubber();
  const log = createLogger({
    level: config.logLevel,
    scrubber,
    write: (line) => void process.stderr.write(line),
  });
  const app = await startApp(config, { log, scrubber });
  try {
    const { databaseUrl, url = '' } = app;
    const isEmbedded = asked.databaseUrl === undefined;
    const kept = isEmbedded ? await keptOwnerKey(config.dataDir, url) : undefined;
    const key = kept ?? (await makeOwnerKey({ ...config, databaseUrl }, isEmbedded));
    return {
      url,
      key,
      databaseUrl,
      async close() {
        // Commands that found it here need it as long as they run.
        if (isEmbedded) await untilUnused(config.dataDir, onWaiting);
        await app.close();
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}
