// Commands that talk to a server over its API.
import { MillraceClient } from '../client/index.ts';
import type { ClientOptions } from '../client/index.ts';
import { ConfigError } from '../config.ts';
import { readClientSettings } from './settings/client-settings.ts';
import type { CommandOptions } from './command.ts';
import { commandLine } from './command-name.ts';
import { CommandError } from './command-error.ts';
import { showElapsed } from './terminal/figures.ts';
import { note } from './terminal/output.ts';
import { teamIdOf } from './team-choice.ts';

/** A person is watching: a server that is away is reported after seconds, not half a minute. */
const RETRIES = 2;

export interface Patience {
  /** For commands that wait for their work anyway: as patient as the contract's client. */
  waits?: boolean;
}

export async function clientOf(
  options: CommandOptions,
  { waits = false }: Patience = {},
): Promise<MillraceClient> {
  const settings = readClientSettings(options, process.env, process.cwd());
  const { url, urlRefused, apiKey, isSignedIn, profile, team } = settings;
  if (urlRefused !== undefined) throw new ConfigError([urlRefused]);
  if (apiKey === undefined) {
    const which = profile.value === 'default' ? '' : ` for the profile "${profile.value}"`;
    throw new CommandError({
      code: 'CONFIG_INVALID',
      message: `You are not signed in, and there is no API key${which}.`,
      hint: `Run ${commandLine('login')}, or set MILLRACE_API_KEY. No key yet? Create one on the server:\n  ${commandLine('api-keys', 'create', '--email', 'you@example.com')}`,
    });
  }
  if (options['verbose']) {
    const what = isSignedIn ? 'signed in with' : 'key from';
    note(`Server ${url.value} (${url.from}), ${what} ${apiKey.from}, profile ${profile.value}`);
  }
  const clientOptions: ClientOptions = {
    ...(waits ? { maxRetriesUnanswered: RETRIES } : { maxRetries: RETRIES }),
    onLimited(retryAfterMs) {
      const time =
        retryAfterMs === undefined ? '' : ` It asks to wait ${showElapsed(retryAfterMs)}.`;
      note(`The server's rate limit is reached.${time}`);
    },
  };
  const client = new MillraceClient(url.value, apiKey.value, clientOptions);
  const teamId = await teamIdOf(client, team);
  if (teamId === undefined) return client;
  return new MillraceClient(url.value, apiKey.value, { ...clientOptions, teamId });
}
