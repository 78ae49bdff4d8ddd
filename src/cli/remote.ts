// Commands that talk to a server over its API.
import { MillraceClient } from '../client/index.ts';
import { ConfigError } from '../config.ts';
import { readClientSettings } from './settings/client-settings.ts';
import type { CommandOptions } from './command.ts';
import { note } from './terminal/output.ts';

/** Somebody is watching: a server that is away is told after seconds, not half a minute. */
const RETRIES = 2;

export function clientOf(options: CommandOptions): MillraceClient {
  const settings = readClientSettings(options, process.env, process.cwd());
  const { url, urlRefused, apiKey, profile } = settings;
  if (urlRefused !== undefined) throw new ConfigError([urlRefused]);
  if (apiKey === undefined) {
    throw new ConfigError([
      `There is no API key: set MILLRACE_API_KEY, or put one for the profile "${profile.value}" into credentials.json`,
    ]);
  }
  if (options['verbose']) {
    note(`Server ${url.value} (${url.from}), key from ${apiKey.from}, profile ${profile.value}`);
  }
  return new MillraceClient(url.value, apiKey.value, { maxRetries: RETRIES });
}

/** A whole number from an option, or undefined when it was not given. */
export function numberOf(options: CommandOptions, name: string, flag: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(String(text))) return Number(text);
  throw new ConfigError([`${flag} "${String(text)}": must be a whole number`]);
}
