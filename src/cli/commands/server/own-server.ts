// A server within a command, for the time of it.
import { startApp } from '../../../app/app.ts';
import type { Config } from '../../../config.ts';
import { createLogger, createScrubber } from '../../../platform/log.ts';
import { createApiKeyService } from '../../../services/accounts/api-keys.ts';
import { withDatabase } from './database.ts';

export interface OwnServer {
  url: string;
  key: string;
  databaseUrl: string;
  close(): Promise<void>;
}

/** Whose key it is, and what it is for. */
export interface KeyHolder {
  email: string;
  name: string;
}

const KEY_DAYS = 7;

export async function makeKey(config: Config, holder: KeyHolder): Promise<string> {
  return withDatabase(config, async (deps) => {
    const keys = createApiKeyService({ ...deps, defaultTier: config.defaultTier });
    const { key } = await keys.create({
      ...holder,
      tier: undefined,
      scopes: undefined,
      expiresInDays: KEY_DAYS,
    });
    return key;
  });
}

/** Quiet: what it has to say is a warning at least. */
export async function startOwnServer(
  asked: Config,
  holder: KeyHolder,
  more: { isPrivate?: boolean } = {},
): Promise<OwnServer> {
  const config: Config = { ...asked, role: 'all', drainSeconds: 1, logLevel: 'warn' };
  const scrubber = createScrubber();
  const log = createLogger({
    level: config.logLevel,
    scrubber,
    write: (line) => void process.stderr.write(line),
  });
  const app = await startApp(config, { log, scrubber, ...more });
  try {
    const key = await makeKey({ ...config, databaseUrl: app.databaseUrl }, holder);
    const { databaseUrl } = app;
    return { url: app.url ?? '', key, databaseUrl, close: () => app.close() };
  } catch (error) {
    await app.close();
    throw error;
  }
}
