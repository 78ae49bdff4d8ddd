// The server that a run uses: the one that the settings name, or one of this machine, started for
// the time of the run when none is up.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceClient, MillraceConnectionError } from '../../../client/index.ts';
import { ConfigError } from '../../../config.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import type { CommandOptions } from '../../command.ts';
import { configOf } from '../../settings/settings.ts';

export interface RunServer {
  client: MillraceClient;
  url: string;
  apiKey: string;
  /** Started here, and stopped with the run. */
  isOwn: boolean;
  close(): Promise<void>;
}

/** A run outlasts a restart of its server: requests are tried again for minutes, not seconds. */
const RETRIES = 8;
const PROBE_MS = 2000;

async function isUp(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) });
    return answer.ok;
  } catch {
    return false;
  }
}

const PROBES = 3;
const PROBE_PAUSE_MS = 500;

/** A server that is not there at the start is told in seconds; one that goes away later is not. */
async function ensureUp(url: string): Promise<void> {
  for (let tried = 1; !(await isUp(url)); tried++) {
    if (tried === PROBES) throw new MillraceConnectionError(`${url} does not answer.`);
    await delay(PROBE_PAUSE_MS);
  }
}

export interface FindOptions {
  announce(text: string): void;
  /** The server asks to slow down. */
  onLimited(): void;
  /** Nothing will be asked: no server is started for it. */
  isIdle: boolean;
}

export async function findServer(
  options: CommandOptions,
  { announce, onLimited, isIdle }: FindOptions,
): Promise<RunServer> {
  function withClient(url: string, apiKey: string, close: () => Promise<void>, isOwn: boolean) {
    const client = new MillraceClient(url, apiKey, { maxRetries: RETRIES, onLimited });
    return { client, url, apiKey, isOwn, close };
  }
  const { url, urlRefused, apiKey } = readClientSettings(options, process.env, process.cwd());
  if (urlRefused !== undefined) throw new ConfigError([urlRefused]);
  const nothing = async () => {};
  if (apiKey !== undefined) {
    await ensureUp(url.value);
    return withClient(url.value, apiKey.value, nothing, false);
  }
  if (url.from !== 'default') {
    throw new ConfigError([
      `${url.from} names a server, but there is no API key: set MILLRACE_API_KEY`,
    ]);
  }
  const config = configOf(options);
  // Loaded only here: a run against another server needs no database.
  const local = await import('./local-server.ts');
  const running = await local.findLocal(config);
  if (running !== undefined) {
    return withClient(running, await local.makeLocalKey(config), nothing, false);
  }
  if (isIdle) return withClient(url.value, '', nothing, false);
  announce('Starting a server for the time of this run...');
  const own = await local.startOwn(config);
  return withClient(own.url, own.key, own.close, true);
}
