// The server that a run uses: the one that was named, or one of this machine, started for the time
// of the run when none is up.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceClient, MillraceConnectionError } from '../client/index.ts';
import { OrchestratorError } from './errors.ts';

export interface RunServer {
  client: MillraceClient;
  url: string;
  apiKey: string;
  /** Started here, and stopped with the run. */
  isOwn: boolean;
  close(): Promise<void>;
}

/** Servers of this machine; given by whoever can start one. */
export interface LocalServers {
  /** The address of one that is up. */
  find(): Promise<string | undefined>;
  makeKey(): Promise<string>;
  start(): Promise<{ url: string; key: string; close(): Promise<void> }>;
}

export interface ServerChoice {
  url: string;
  /** Where the address comes from; undefined when nobody named one. */
  urlFrom: string | undefined;
  apiKey: string | undefined;
  /** The team that the run belongs to, told by the server; undefined for the caller's own. */
  findTeam?(client: MillraceClient): Promise<string | undefined>;
  local(): Promise<LocalServers>;
  /** Before a server is started. */
  onStarting(): void;
  /** The server asks to slow down. */
  onLimited(): void;
  /** Nothing will be asked: no server is started for it. */
  isIdle: boolean;
  /** Of one request; for those who cannot wait for minutes. */
  maxRetries?: number;
  tryTimeoutMs?: number;
}

/** A run outlasts a restart of its server: requests are tried again for minutes, not seconds. */
const RETRIES = 8;
const PROBE_MS = 5000;

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

const nothing = async () => {};

export async function findServer(choice: ServerChoice): Promise<RunServer> {
  const { url, urlFrom, apiKey, onLimited } = choice;
  async function withClient(
    at: string,
    key: string,
    close = nothing,
    isOwn = false,
  ): Promise<RunServer> {
    const { maxRetries = RETRIES, tryTimeoutMs } = choice;
    const limits = { maxRetries, ...(tryTimeoutMs === undefined ? {} : { tryTimeoutMs }) };
    const options = { ...limits, onLimited };
    let client = new MillraceClient(at, key, options);
    const teamId = await choice.findTeam?.(client);
    if (teamId !== undefined) client = new MillraceClient(at, key, { ...options, teamId });
    return { client, url: at, apiKey: key, isOwn, close };
  }
  if (apiKey !== undefined) {
    await ensureUp(url);
    return withClient(url, apiKey);
  }
  if (urlFrom !== undefined) {
    const message = `${urlFrom} names a server, but you are not signed in to it and there is no API key`;
    throw new OrchestratorError({ code: 'NO_API_KEY', message });
  }
  const local = await choice.local();
  const running = await local.find();
  if (running !== undefined) return withClient(running, await local.makeKey());
  if (choice.isIdle) return withClient(url, '');
  choice.onStarting();
  const own = await local.start();
  return withClient(own.url, own.key, own.close, true);
}
