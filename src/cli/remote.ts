// Commands that talk to a server over its API.
import { MillraceClient } from '../client/index.ts';
import { ConfigError } from '../config.ts';
import type { CommandOptions } from './program.ts';

/** Somebody is watching: a server that is away is told after seconds, not half a minute. */
const RETRIES = 2;
const DEFAULT_URL = 'http://127.0.0.1:4747';

export function clientOf(options: CommandOptions): MillraceClient {
  const url = String(options['url'] ?? (process.env['MILLRACE_URL'] || DEFAULT_URL));
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ConfigError([`"${url}" is not an http or https URL (--url or MILLRACE_URL)`]);
  }
  // Not an option: arguments can be seen by everybody on the machine.
  const key = process.env['MILLRACE_API_KEY'];
  if (!key)
    throw new ConfigError(['MILLRACE_API_KEY is not set: it must hold your Millrace API key']);
  return new MillraceClient(url, key, { maxRetries: RETRIES });
}

/** A whole number from an option, or undefined when it was not given. */
export function numberOf(options: CommandOptions, name: string, flag: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(String(text))) return Number(text);
  throw new ConfigError([`${flag} "${String(text)}": must be a whole number`]);
}
