// Requests to the HTTP API of a forge: with the person's token, a limit of time, waiting where the forge asks for it, and
// refusals in words.
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from './forge.ts';

export interface ForgeApiOptions {
  /** Without a slash at its end. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** What the person sets to change the token. */
  tokenHint: string;
  signal: AbortSignal;
  /** A wait that the forge asks for. */
  onWait(seconds: number): void;
}

export interface ForgeApi {
  get<T>(path: string): Promise<T>;
  /** All pages. */
  list<T>(path: string): Promise<T[]>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<T>;
}

const LONGEST_CALL_MS = 30_000;
/** A person waits for it. */
const LONGEST_WAIT_S = 90;
const MOST_WAITS = 3;
const MOST_PAGES = 50;
const MOST_BYTES = 32 * 1024 * 1024;

/** Seconds until the forge takes calls again; undefined for another kind of refusal. */
export function waitOf(response: Response, text: string, nowMs: number): number | undefined {
  if (response.status !== 403 && response.status !== 429) return undefined;
  const after = response.headers.get('retry-after');
  if (after !== null && /^\d+$/.test(after)) return Number(after);
  const left =
    response.headers.get('x-ratelimit-remaining') ?? response.headers.get('ratelimit-remaining');
  const reset =
    response.headers.get('x-ratelimit-reset') ?? response.headers.get('ratelimit-reset');
  if (left === '0' && reset !== null && /^\d+$/.test(reset)) {
    return Math.max(1, Number(reset) - Math.floor(nowMs / 1000));
  }
  if (response.status === 429 || /secondary rate limit/i.test(text)) return 60;
  return undefined;
}

/** Both forges say it in one of these. */
export function reasonOf(text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return '';
  }
  const { message, error, errors } = (said ?? {}) as Record<string, unknown>;
  const list = Array.isArray(errors) ? errors : [];
  const details = list.map((each: unknown) => {
    if (typeof each === 'string') return each;
    const { message: why, field, code } = (each ?? {}) as Record<string, unknown>;
    return typeof why === 'string'
      ? why
      : [field, code].filter((one) => typeof one === 'string').join(' ');
  });
  const main = Array.isArray(message) ? message.join('; ') : (message ?? error);
  const words = typeof main === 'string' ? main : main === undefined ? '' : JSON.stringify(main);
  return [words, ...details]
    .filter((part) => part !== '')
    .join(': ')
    .slice(0, 500);
}

async function textOf(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > MOST_BYTES) throw new Error('the answer is too long');
  return response.text();
}

export function createForgeApi(options: ForgeApiOptions): ForgeApi {
  const { url, headers, tokenHint, signal } = options;
  const host = new URL(url).host;

  async function once(method: string, path: string, body: object | undefined) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_CALL_MS)]);
    try {
      const response = await fetch(url + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        signal: limit,
      });
      return { response, text: await textOf(response) };
    } catch (error) {
      signal.throwIfAborted();
      const { message, cause } = error as Error & { cause?: Error };
      throw new ForgeError(`${host} cannot be reached: ${cause?.message ?? message}`, {
        hint: 'Try again; nothing is done twice.',
      });
    }
  }

  function refusal(method: string, path: string, status: number, text: string): ForgeError {
    const why = reasonOf(text) || `HTTP ${status}`;
    if (status === 401) {
      return new ForgeError(`${host} does not accept the token: ${why}`, {
        status,
        hint: tokenHint,
      });
    }
    if (status === 403 || status === 404) {
      const message = `${host} refused ${method} ${path.split('?')[0]}: ${why}`;
      const hint = `The token needs access to this repository, and the right to write requests. ${tokenHint}`;
      return new ForgeError(message, { status, hint });
    }
    return new ForgeError(`${host}: ${why}`, { status, hint: 'Correct it and try again.' });
  }

  async function call(method: string, path: string, body?: object) {
    for (let waits = 0; ; waits++) {
      const { response, text } = await once(method, path, body);
      if (response.ok) return { response, text };
      const seconds = waitOf(response, text, Date.now());
      if (seconds === undefined) throw refusal(method, path, response.status, text);
      if (seconds > LONGEST_WAIT_S || waits === MOST_WAITS) {
        throw new ForgeError(`${host} limits the rate of calls; it asks to wait ${seconds} s.`, {
          status: response.status,
          hint: 'Try again then; nothing is done twice.',
        });
      }
      options.onWait(seconds);
      await delay(seconds * 1000, undefined, { signal });
    }
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw new ForgeError(`${host} answered with something that is no JSON.`, {
        hint: 'Is this the address of its API?',
      });
    }
  }

  return {
    get: async <T>(path: string) => parsed((await call('GET', path)).text) as T,
    send: async <T>(method: string, path: string, body: object) =>
      parsed((await call(method, path, body)).text) as T,
    async list<T>(path: string) {
      const items: T[] = [];
      const join = path.includes('?') ? '&' : '?';
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { text } = await call('GET', `${path}${join}per_page=100&page=${page}`);
        const found = parsed(text) as T[];
        items.push(...found);
        if (found.length < 100) break;
      }
      return items;
    },
  };
}
