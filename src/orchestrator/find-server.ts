// The server that a command uses: the one that was named, or the one of this machine's data folder, started
// for the time of the command when none is up.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceClient, MillraceConnectionError } from '../client/index.ts';
import type { ClientOptions } from '../client/index.ts';
import { OrchestratorError } from './errors.ts';

export interface RunServer {
  client: MillraceClient;
  url: string;
  apiKey: string;
  /** The team that was named; undefined for the caller's own. */
  teamId: string | undefined;
  /** The caller acts as the owner of this machine's data folder, not with a credential that was given. */
  asOwner: boolean;
  /** Started here, and stopped with the command. */
  isOwn: boolean;
  close(): Promise<void>;
}

export interface LocalServer {
  url: string;
  /** Of the owner of the data folder. */
  key: string;
  /** Called when the command needs it no longer. */
  close(): Promise<void>;
}

/** The server of a data folder of this machine; given by the part that can start one. */
export interface LocalServers {
  /** Undefined where the database is elsewhere. */
  dataDir: string | undefined;
  /** The one that is up. */
  find(): Promise<LocalServer | undefined>;
  start(): Promise<LocalServer>;
}

export interface ServerChoice {
  url: string;
  /** Where the address comes from; undefined when nobody named one. */
  urlFrom: string | undefined;
  apiKey: string | undefined;
  /** The team to act in, as the server knows it; undefined for the caller's own. */
  findTeam?(client: MillraceClient): Promise<string | undefined>;
  local(): Promise<LocalServers>;
  /** Before a server is started. */
  onStarting(): void;
  /** Nothing will be asked: no server is started for it. */
  isIdle?: boolean;
  /** What is asked for is done after the command has ended: a server of its own is of no use. */
  outlives?: boolean;
  /** Nobody watches: a server that is away at the start is waited for like one that goes away later. */
  isUnattended?: boolean;
  /** Of the client; without limits it is as patient as a run. */
  client: ClientOptions;
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

/** A server that is not there at the start is reported in seconds; one that goes away later is not. */
async function ensureUp(url: string): Promise<void> {
  for (let tried = 1; !(await isUp(url)); tried++) {
    if (tried === PROBES) throw new MillraceConnectionError(`${url} does not answer.`);
    await delay(PROBE_PAUSE_MS);
  }
}

const isSameServer = (one: string, other: string) => new URL(one).origin === new URL(other).origin;
const nothing = async () => {};

export async function findServer(choice: ServerChoice): Promise<RunServer> {
  const { url, urlFrom, apiKey } = choice;
  const { isUnattended = false } = choice;
  const isPatient = choice.client.maxRetries === undefined;
  async function withClient(
    at: string,
    key: string,
    { close = nothing, isOwn = false, asOwner = false } = {},
  ): Promise<RunServer> {
    const waiting = isUnattended ? { maxRetries: RETRIES, maxRetriesUnanswered: RETRIES } : {};
    const options = { maxRetries: RETRIES, ...choice.client, ...waiting };
    let client = new MillraceClient(at, key, options);
    let teamId: string | undefined;
    try {
      teamId = await choice.findTeam?.(client);
      if (teamId !== undefined) client = new MillraceClient(at, key, { ...options, teamId });
    } catch (error) {
      await close();
      throw error;
    }
    return { client, url: at, apiKey: key, teamId, asOwner, isOwn, close };
  }
  const withLocal = ({ url: at, key, close }: LocalServer, isOwn: boolean) =>
    withClient(at, key, { close, isOwn, asOwner: true });

  if (apiKey !== undefined) {
    if (isPatient && !isUnattended) await ensureUp(url);
    return withClient(url, apiKey);
  }
  const local = await choice.local();
  const running = await local.find();
  if (urlFrom !== undefined) {
    // Only the server of the folder itself: what proves the ownership is never sent anywhere else.
    if (running && isSameServer(running.url, url)) return withLocal(running, false);
    await running?.close();
    const message = `You are not signed in to ${url} (${urlFrom}), and there is no API key.`;
    throw new OrchestratorError({ code: 'NO_API_KEY', message });
  }
  if (running !== undefined) return withLocal(running, false);
  if (choice.isIdle) return withClient(url, '');
  if (choice.outlives) {
    const message = 'No server is running that would do the work after this command has ended.';
    throw new OrchestratorError({ code: 'NO_SERVER', message });
  }
  choice.onStarting();
  return withLocal(await local.start(), true);
}
