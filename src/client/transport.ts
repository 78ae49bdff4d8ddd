// One request to the service, tried again where the service asks for it.
import type { BackoffOptions } from './backoff.ts';
import { backoffDelay, parseRetryAfter } from './backoff.ts';
import { MillraceConnectionError, MillraceError, NoTimeLeftError } from './errors.ts';
import type { World } from './world.ts';

export interface TransportOptions extends BackoffOptions {
  apiUrl: string;
  apiKey: string;
  maxRetries: number;
  maxRetriesUnanswered?: number;
  /** Of one try, with its answer; undefined leaves that to the signal of the request. */
  tryTimeoutMs?: number | undefined;
  world: World;
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** Leaves a good answer to the caller, as the `Response` that it is: it may be long, or not JSON. */
  unread?: boolean;
  signal?: AbortSignal | undefined;
  /** No try starts at or after this time. The signal is what ends one that is under way. */
  deadline?: number;
  /** Called before every try. */
  onSend?: (() => void) | undefined;
  /** Called for every answer that asked to slow down. */
  onLimited?: ((retryAfterMs: number | undefined) => void) | undefined;
  /** Called before every wait for another try. */
  onWait?: OnWait | undefined;
}

/** The request is sent again after this, because of this. */
export type OnWait = (delayMs: number, error: Error) => void;

export interface Reply {
  status: number;
  headers: Headers;
  body: unknown;
}

type Attempt =
  | { kind: 'reply'; reply: Reply }
  | { kind: 'again'; error: Error; waitMs: number | undefined };

/** A limit says when it is over; a failure only when to look again, and may last longer each time. */
function delayOf({ error, waitMs = 0 }: Attempt & { kind: 'again' }, backoffMs: number): number {
  const isLimited = error instanceof MillraceError && error.status === 429 && waitMs > 0;
  return isLimited ? waitMs : Math.max(waitMs, backoffMs);
}

export interface Transport {
  /** The address of the service, without a slash at its end. */
  base: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
}

export function errorOf(
  status: number,
  headers: Headers,
  body: unknown,
  nowMs: number,
): MillraceError {
  const { error } = (body ?? {}) as {
    error?: { code?: string; message?: string; details?: unknown };
  };
  return new MillraceError(
    status,
    error?.code ?? `HTTP_${status}`,
    error?.message ?? `The service answered with status ${status}`,
    {
      details: error?.details,
      requestId: headers.get('x-request-id') ?? undefined,
      retryAfterMs: parseRetryAfter(headers.get('retry-after'), nowMs),
    },
  );
}

/** A page of the service has none: its session goes along by itself. */
export function keyHeader(apiKey: string): { 'x-api-key'?: string } {
  return apiKey === '' ? {} : { 'x-api-key': apiKey };
}

export function createTransport(options: TransportOptions): Transport {
  const { world } = options;
  const base = options.apiUrl.replace(/(?<!\/)\/+$/, '');
  const { maxRetries, maxRetriesUnanswered = maxRetries } = options;
  let hasAnswered = false;

  async function attempt(method: string, path: string, request: RequestOptions): Promise<Attempt> {
    let response: Response;
    let text: string;
    const { tryTimeoutMs } = options;
    const signals = [
      ...(request.signal ? [request.signal] : []),
      ...(tryTimeoutMs === undefined ? [] : [AbortSignal.timeout(tryTimeoutMs)]),
    ];
    request.onSend?.();
    try {
      response = await world.fetch(base + path, {
        method,
        // The key goes to the service that was named, never on to where it points.
        redirect: 'manual',
        headers: {
          ...keyHeader(options.apiKey),
          accept: 'application/json',
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
      });
      text = request.unread && response.ok ? '' : await response.text();
    } catch (error) {
      if (request.signal?.aborted) throw error;
      const lost = new MillraceConnectionError(
        `${method} ${path}: the service did not answer`,
        error,
      );
      return { kind: 'again', error: lost, waitMs: undefined };
    }
    hasAnswered = true;
    const { status, headers } = response;
    if (request.unread && response.ok) {
      return { kind: 'reply', reply: { status, headers, body: response } };
    }
    let body: unknown;
    try {
      body = text === '' ? undefined : JSON.parse(text);
    } catch {
      body = undefined;
      if (response.ok) {
        const garbled = new MillraceConnectionError(`${method} ${path}: the answer is not JSON`);
        return { kind: 'again', error: garbled, waitMs: undefined };
      }
    }
    if (response.ok) return { kind: 'reply', reply: { status, headers, body } };
    const error = errorOf(status, headers, body, world.now());
    if (!error.retryable) throw error;
    const waitMs = error.retryAfterMs;
    if (status === 429) request.onLimited?.(waitMs);
    return { kind: 'again', error, waitMs };
  }

  return {
    base,
    async request(method, path, request = {}) {
      for (let tries = 0; ; tries++) {
        const result = await attempt(method, path, request);
        if (result.kind === 'reply') return result.reply;
        if (tries >= (hasAnswered ? maxRetries : maxRetriesUnanswered)) throw result.error;
        const delay = delayOf(result, backoffDelay(tries, options, world.random));
        if (request.deadline !== undefined && world.now() + delay >= request.deadline)
          throw new NoTimeLeftError(result.error.message);
        request.onWait?.(delay, result.error);
        await world.sleep(delay, request.signal);
        request.signal?.throwIfAborted();
      }
    },
  };
}
