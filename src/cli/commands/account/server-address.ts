// The server that a person signs in to or out of.
import { ConfigError } from '../../../config/config-error.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';

/** Whether there is a key is beside the point here. */
export function signInSettings(options: CommandOptions): ClientSettings {
  const without = { ...options, apiKey: undefined };
  const env = { ...process.env, MILLRACE_API_KEY: undefined };
  const settings = readClientSettings(without, env, process.cwd());
  if (settings.urlRefused !== undefined) throw new ConfigError([settings.urlRefused]);
  const { username, password } = new URL(settings.url.value);
  if (username === '' && password === '') return settings;
  throw new CommandError({
    code: 'CONFIG_INVALID',
    message: 'The address of the server contains a user name or password.',
    hint: 'Leave it out; you sign in with your browser.',
  });
}
