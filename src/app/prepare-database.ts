// The database before anything uses it: the embedded one started, or the operator's own found, and
// brought up to date.
import type { Config } from '../config/config.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import { startEmbedded } from '../store/embedded/supervisor.ts';
import { migrate } from '../store/postgres/migrate.ts';
import { EMBEDDED_MODES, chooseModes, describeModes } from '../store/postgres/modes.ts';
import type { DatabaseModes, WantedModes } from '../store/postgres/modes.ts';
import { probeDatabase } from '../store/postgres/probe.ts';
import type { DatabaseUrls } from '../store/postgres/probe.ts';
import type { Teardown } from './teardown.ts';
import { MIGRATIONS_FOLDER } from './version.ts';

export interface PreparedDatabase extends DatabaseUrls {
  modes: DatabaseModes;
}

export function wantedModes(config: Config): WantedModes {
  return {
    signals: config.databaseSignals,
    liveness: config.databaseLiveness,
    prepared: config.databasePrepare,
  };
}

/** More than the embedded database allows by default; an adopted one keeps the number it was started with. */
const EMBEDDED_CONNECTIONS = 100;
/** What a process uses beside its pool: shared reads, signals, the beat. */
const CONNECTIONS_BESIDE_POOL = 3;
/** What commands and PostgreSQL itself need. */
const SPARE_CONNECTIONS = 20;

/** The most that a server with these settings uses. */
export function connectionsOf({ processes, databasePoolSize }: Config): number {
  return processes * (databasePoolSize + CONNECTIONS_BESIDE_POOL);
}

function connectionsFor(config: Config): number {
  return Math.max(EMBEDDED_CONNECTIONS, connectionsOf(config) + SPARE_CONNECTIONS);
}

async function findDatabase(
  config: Config,
  log: Logger,
  teardown: Teardown,
): Promise<DatabaseUrls> {
  if (config.databaseUrl !== undefined) {
    return { url: config.databaseUrl, directUrl: config.databaseDirectUrl ?? config.databaseUrl };
  }
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log: (message) => log.info(message),
    settings: { max_connections: String(connectionsFor(config)) },
  });
  teardown.add('embedded database', () => embedded.stop());
  return { url: embedded.url, directUrl: embedded.url };
}

export function hidePassword(url: string, scrubber: Scrubber): void {
  const { password } = new URL(url);
  if (password !== '') scrubber.add(decodeURIComponent(password));
}

async function findModes(config: Config, urls: DatabaseUrls): Promise<DatabaseModes> {
  const wanted = wantedModes(config);
  if (config.databaseUrl === undefined) return chooseModes(wanted, EMBEDDED_MODES);
  return probeDatabase(urls, wanted, { hasSchema: true });
}

export async function prepareDatabase(
  config: Config,
  { log, scrubber }: { log: Logger; scrubber: Scrubber },
  teardown: Teardown,
): Promise<PreparedDatabase> {
  const address = await findDatabase(config, log, teardown);
  hidePassword(address.url, scrubber);
  hidePassword(address.directUrl, scrubber);
  await migrate({
    url: address.directUrl,
    folder: MIGRATIONS_FOLDER,
    silenceMs: config.databaseSilenceSeconds * 1000,
    log: (text) => log.info(text),
  });
  const modes = await findModes(config, address);
  log.info(modes, `signals and liveness: ${describeModes(modes)}`);
  return { ...address, modes };
}
