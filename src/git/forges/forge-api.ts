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
  /** The end of a text: a log may be longer than anybody reads. */
  tail(path: string): Promise<string>;
}

interface Asked {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  path: string;
  body?: object;
  /** Only its end is read. */
  isTail?: boolean;
}

const LONGEST_CALL_MS = 30_000;
/** A person waits for it. */
const LONGEST_WAIT_S = 90;
const MOST_WAITS = 3;
const MOST_PAGES = 50;
const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_TAIL = 2 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

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

/** Whole, or its end alone. */
async function textOf(response: Response, isTail: boolean): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    if (isTail) {
      while (size - parts[0]!.length >= LONGEST_TAIL) size -= parts.shift()!.length;
    } else if (size > MOST_BYTES) throw new Error('the answer is too long');
  }
  return Buffer.concat(parts).toString('utf8');
}

export function createForgeApi(options: ForgeApiOptions): ForgeApi {
  const { url, headers, tokenHint, signal } = options;
  const host = new URL(url).host;

  /** Only the forge itself sees the token: it keeps logs elsewhere, and a link to them is enough to read them. */
  async function follow(asked: Asked, limit: AbortSignal): Promise<Response> {
    const { method, path, body, isTail } = asked;
    const origin = new URL(url).origin;
    let address = new URL(url + path);
    for (let redirects = 0; ; redirects++) {
      const isOwn = address.origin === origin;
      const response = await fetch(address, {
        method,
        headers: {
          ...(isOwn && headers),
          ...(isOwn && body && { 'content-type': 'application/json' }),
        },
        ...(isOwn && body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: limit,
      });
      const next = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || next === null) return response;
      await response.body?.cancel();
      address = new URL(next, address);
      const isTooFar = address.origin !== origin && isTail !== true;
      if (isTooFar || redirects === MOST_REDIRECTS || !/^https?:$/.test(address.protocol)) {
        throw new ForgeError(
          `${host} sends us on to ${address.origin}, where the token does not go.`,
          {
            hint: 'If the repository has moved, change the address of the remote.',
          },
        );
      }
    }
  }

  async function once(asked: Asked) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_CALL_MS)]);
    try {
      const response = await follow(asked, limit);
      const isTail = response.ok && asked.isTail === true;
      return { response, text: await textOf(response, isTail) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ForgeError) throw error;
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
    if (status >= 500) {
      return new ForgeError(`${host} could not do it: ${why}`, {
        status,
        hint: 'Try again later; nothing is done twice.',
      });
    }
    return new ForgeError(`${host}: ${why}`, { status, hint: 'Correct it and try again.' });
  }

  async function call(asked: Asked): Promise<string> {
    const { method, path } = asked;
    for (let waits = 0; ; waits++) {
      const { response, text } = await once(asked);
      if (response.ok) return text;
      const seconds = waitOf(response, text, Date.now());
      if (seconds === undefined) throw refusal(method, path, response.status, text);
      if (seconds > LONGEST_WAIT_S || waits === MOST_WAITS) {
        throw new ForgeError(`${host} limits the rate of calls; it asks to wait ${seconds} s.`, {
          // One of them says 403, too, which would be about rights.
          status: 429,
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
    get: async <T>(path: string) => parsed(await call({ method: 'GET', path })) as T,
    send: async <T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object) =>
      parsed(await call({ method, path, body })) as T,
    tail: (path) => call({ method: 'GET', path, isTail: true }),
    async list<T>(path: string) {
      const items: T[] = [];
      const join = path.includes('?') ? '&' : '?';
      for (let page = 1; page <= MOST_PAGES; page++) {
        const paged = `${path}${join}per_page=100&page=${page}`;
        const found = parsed(await call({ method: 'GET', path: paged })) as T[];
        items.push(...found);
        if (found.length < 100) break;
      }
      return items;
    },
  };
}
