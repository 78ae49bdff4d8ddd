// The requests that all parts of the typed client are made of.
import { backoffDelay } from './backoff.ts';
import { readEventStream } from './event-stream.ts';
import { MillraceConnectionError, MillraceError } from './errors.ts';
import { EXECUTOR_DEFAULTS } from './executor.ts';
import { createTransport, errorOf, keyHeader } from './transport.ts';
import type { OnWait, RequestOptions } from './transport.ts';
import { defaultWorld } from './world.ts';
import type { World } from './world.ts';

export interface CallOptions {
  signal?: AbortSignal;
  /** Makes the server know a repeated POST again; made up where it is left out. */
  idempotencyKey?: string;
  /** Called before every wait for another try of the request. */
  onWait?: OnWait;
  /** Called when the server knew the key: the answer is that of an earlier request. */
  onReplayed?(): void;
}

export interface ClientOptions {
  /** Retries of one request for transient errors. */
  maxRetries?: number;
  /** The same while the service has never answered: it may not be there at all. Default: `maxRetries`. */
  maxRetriesUnanswered?: number;
  /** The longest that one try of a request may take, in milliseconds; default: no limit. */
  tryTimeoutMs?: number;
  world?: World;
  /** The team to act in, where it is not your personal one. */
  teamId?: string;
  /** Called for every answer that asks to slow down, with the time that it asks for. */
  onLimited?(retryAfterMs?: number): void;
}

export interface StreamedEvent {
  event: string;
  data: unknown;
}

export interface Calls {
  get<T>(path: string, options?: CallOptions, query?: object): Promise<T>;
  send<T>(method: string, path: string, options?: CallOptions, body?: unknown): Promise<T>;
  /** An answer as it comes, whatever it is. */
  open(method: string, path: string, options?: CallOptions, body?: unknown): Promise<Response>;
  /** Events from the start; resumes after a lost connection without a gap, until `done`. */
  events(path: string, options?: CallOptions): AsyncGenerator<StreamedEvent>;
}

export const part = encodeURIComponent;

function queryOf(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
}

export function createCalls(apiUrl: string, apiKey: string, options: ClientOptions = {}): Calls {
  const {
    world = defaultWorld,
    maxRetries = EXECUTOR_DEFAULTS.maxRetries,
    maxRetriesUnanswered = maxRetries,
    tryTimeoutMs,
    onLimited,
    teamId,
  } = options;
  const team = teamId ? { 'x-team-id': teamId } : undefined;
  const limits = { ...EXECUTOR_DEFAULTS, maxRetries, maxRetriesUnanswered, tryTimeoutMs };
  const transport = createTransport({ ...limits, apiUrl, apiKey, world });

  async function request(method: string, path: string, call: CallOptions, more: RequestOptions) {
    const headers = {
      ...team,
      ...(method === 'POST' && more.body
        ? { 'idempotency-key': call.idempotencyKey ?? world.newKey() }
        : {}),
      ...more.headers,
    };
    const reply = await transport.request(method, path, { ...call, ...more, headers, onLimited });
    if (reply.headers.has('idempotency-replayed')) call.onReplayed?.();
    return reply.body;
  }

  async function send<T>(
    method: string,
    path: string,
    call: CallOptions = {},
    body?: unknown,
  ): Promise<T> {
    return (await request(method, path, call, { body })) as T;
  }

  /** One try: the reader of the events counts its tries itself. */
  async function openEvents(path: string, lastEventId: string | undefined, call: CallOptions) {
    const { signal } = call;
    let response: Response;
    try {
      response = await world.fetch(transport.base + path, {
        // As for every request: the key goes to the service that was named, never on to elsewhere.
        redirect: 'manual',
        headers: {
          ...keyHeader(apiKey),
          ...team,
          accept: 'text/event-stream',
          ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
        },
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new MillraceConnectionError(`GET ${path}: the service did not answer`, error);
    }
    if (!response.ok) {
      const body: unknown = await response.json().catch(() => undefined);
      throw errorOf(response.status, response.headers, body, world.now());
    }
    if (!response.body) throw new MillraceConnectionError('The answer has no body');
    return readEventStream(response.body);
  }

  return {
    get: (path, call, query = {}) => send('GET', path + queryOf(query), call),
    send,
    async open(method, path, call = {}, body) {
      const more = { body, headers: { accept: '*/*' }, unread: true };
      return (await request(method, path, call, more)) as Response;
    },
    async *events(path, call = {}) {
      const { signal } = call;
      let lastEventId: string | undefined;
      for (let lost = 0; ; lost++) {
        try {
          for await (const { id, event, data } of await openEvents(path, lastEventId, call)) {
            lastEventId = id;
            lost = 0;
            yield { event, data: JSON.parse(data) };
            if (event === 'done') return;
          }
        } catch (error) {
          if (signal?.aborted) throw error;
          const final = error instanceof MillraceError && !error.retryable;
          if (final || lost >= maxRetries) throw error;
        }
        await world.sleep(backoffDelay(lost, EXECUTOR_DEFAULTS, world.random), signal);
        signal?.throwIfAborted();
      }
    },
  };
}
