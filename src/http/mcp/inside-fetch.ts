// Calls the API of this server from within: the same hooks and routes as for any caller, without a
// socket. So what the tools may do is what their caller may do, and is decided in one place.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { errorBody } from '../errors.ts';
import { stoppingError } from '../graceful-close.ts';

const inside = new AsyncLocalStorage<true>();

/** The request was counted when it came in from outside. No header can claim this. */
export const isInside = (): boolean => inside.getStore() === true;

/** Any address: nothing is looked up. */
export const INSIDE_URL = 'http://inside';

function answer(
  app: FastifyInstance,
  url: string,
  init: RequestInit,
  remoteAddress: string,
): Promise<Response> {
  return inside.run(true, async () => {
    const { raw, statusCode, headers, stream } = await app.inject({
      url: url.slice(INSIDE_URL.length),
      method: init.method ?? 'GET',
      headers: { ...(init.headers as Record<string, string>) },
      ...(init.body === undefined ? {} : { payload: init.body as string }),
      remoteAddress,
      payloadAsStream: true,
    });
    const body = stream();
    // The reader sees errors; a body that nobody reads must not end the process.
    body.on('error', () => {});
    const { signal } = init;
    // As when a caller hangs up: the route stops to follow whatever it follows.
    const hangUp = () => void raw.res.destroy();
    if (signal?.aborted) hangUp();
    signal?.addEventListener('abort', hangUp, { once: true });
    body.once('close', () => signal?.removeEventListener('abort', hangUp));
    return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, {
      status: statusCode,
      headers: Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    });
  });
}

/** `address` is the caller's, which the log and the audit log show. */
export function insideFetch(
  app: FastifyInstance,
  address: string,
  stopping: AbortSignal,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    init.signal?.throwIfAborted();
    if (stopping.aborted) {
      // As from outside; the framework itself would throw.
      const refused = stoppingError();
      return Response.json(errorBody(refused), { status: refused.status });
    }
    return answer(app, input as string, init, address);
  };
}
