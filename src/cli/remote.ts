// The server that a command talks to, and as whom: with the credential that flags, environment or a sign-in
// give, else as the owner of this machine's data folder.
import { EXECUTOR_DEFAULTS } from '../client/executor.ts';
import type { ClientOptions, MillraceClient } from '../client/index.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config.ts';
import { OrchestratorError } from '../orchestrator/errors.ts';
import { findServer } from '../orchestrator/find-server.ts';
import type { RunServer } from '../orchestrator/find-server.ts';
import { REQUEST_VARIABLE } from '../runner/request-env.ts';
import { atEnd } from './at-end.ts';
import type { CommandOptions } from './command.ts';
import { toCommandError } from './orchestrator-hints.ts';
import { readClientSettings } from './settings/client-settings.ts';
import { configOf } from './settings/settings.ts';
import { showElapsed } from './terminal/figures.ts';
import { note } from './terminal/output.ts';
import { teamIdOf } from './team-choice.ts';

/** A person is watching: a server that is away is reported after seconds, not half a minute. */
const RETRIES = 2;

export interface Patience {
  /** For commands that wait for their work anyway: as patient as the contract's client. */
  waits?: boolean;
  /** The work is done after the command has ended. */
  outlives?: boolean;
}

/** Of the flags of a command only this one is about a server here: others of the same name mean other things. */
function configHere({ dataDir }: CommandOptions): Config {
  return configOf({ dataDir });
}

export function serverOf(
  options: CommandOptions,
  choice: { client: ClientOptions; isIdle?: boolean; outlives?: boolean },
): Promise<RunServer> {
  const { url, urlRefused, apiKey, team } = readClientSettings(options, process.env, process.cwd());
  if (urlRefused !== undefined) throw new ConfigError([urlRefused]);
  return findServer({
    url: url.value,
    urlFrom: url.from === 'default' ? undefined : url.from,
    apiKey: apiKey?.value,
    findTeam: (client) => teamIdOf(client, team),
    // Loaded only when needed: another server needs no data folder.
    local: async () => (await import('./local-server.ts')).localServers(configHere(options)),
    onStarting: () => note('Starting a server...'),
    isUnattended: process.env[REQUEST_VARIABLE] !== undefined,
    ...choice,
  });
}

export interface CommandServer {
  client: MillraceClient;
  url: string;
  /** Sent with every request; for what needs a client of its own. */
  apiKey: string;
  teamId: string | undefined;
  /** The credential, as one would name it to the user. */
  from: string;
  /** It acts as the owner of the data folder: no credential was given. */
  asOwner: boolean;
}

/** Closed when the command has ended. */
export async function connect(
  options: CommandOptions,
  { waits = false, outlives = false }: Patience = {},
): Promise<CommandServer> {
  const { url, apiKey, isSignedIn, profile } = readClientSettings(
    options,
    process.env,
    process.cwd(),
  );
  const client: ClientOptions = {
    maxRetries: waits ? EXECUTOR_DEFAULTS.maxRetries : RETRIES,
    maxRetriesUnanswered: RETRIES,
    onLimited(retryAfterMs) {
      const time =
        retryAfterMs === undefined ? '' : ` It asks to wait ${showElapsed(retryAfterMs)}.`;
      note(`The server's rate limit is reached.${time}`);
    },
  };
  const server = await serverOf(options, { client, outlives }).catch((error: unknown) => {
    throw error instanceof OrchestratorError ? toCommandError(error) : error;
  });
  atEnd(() => server.close());
  const from = server.asOwner ? ownerOf(options) : (apiKey?.from ?? '');
  if (options['verbose']) {
    const how = server.asOwner ? 'as the' : isSignedIn ? 'signed in with' : 'key from';
    const where = server.url === url.value ? ` (${url.from})` : '';
    note(`Server ${server.url}${where}, ${how} ${from}, profile ${profile.value}`);
  }
  const { client: its, url: at, apiKey: key, teamId } = server;
  return { client: its, url: at, apiKey: key, teamId, from, asOwner: server.asOwner };
}

function ownerOf(options: CommandOptions): string {
  const { databaseUrl, dataDir } = configHere(options);
  return databaseUrl === undefined ? `owner of ${dataDir}` : 'owner of the database';
}

export async function clientOf(
  options: CommandOptions,
  patience?: Patience,
): Promise<MillraceClient> {
  return (await connect(options, patience)).client;
}
