// /model/*: the vendors' own protocols. Bodies and answers are bytes here; what they say is for the gateway.
import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../../gateway/gateway.ts';
import type { ModelAnswer } from '../../gateway/caller.ts';
import { CallRefusal } from '../../gateway/refusal.ts';
import type { LimitService } from '../../services/limits.ts';
import { callerOf } from './model-caller.ts';
import type { CallerDeps } from './model-caller.ts';
import {
  MODEL_METHODS,
  MODEL_ROOT,
  asksForEvents,
  findModelPath,
  hidesUsage,
  queryToVendor,
  vendorOf,
} from './model-paths.ts';
import type { ModelPath } from './model-paths.ts';
import { refusalOf, sendRefusal } from './model-refusal.ts';

const NOTHING = new Uint8Array(0);

/** A minute and user. */
const CALLS_A_MINUTE = 600;

export interface ModelEndpointDeps extends CallerDeps {
  gateway: Gateway;
  limits: LimitService;
  isUnavailable(error: unknown): boolean;
  log: { error(fields: object, message: string): void };
}

const splitUrl = (url: string): [path: string, query: string] => {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
};

function pathOf(request: FastifyRequest, path: string): ModelPath {
  const found = findModelPath(request.method, path);
  if (found === undefined) throw new CallRefusal('not_found', 'There is no such address here.');
  if ('methods' in found) {
    const message = `This address takes ${found.methods}, not ${request.method}.`;
    throw new CallRefusal('not_found', message);
  }
  return found;
}

function providerKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-provider-key'];
  const value = Array.isArray(key) ? key.join(',') : key;
  if (value === undefined || value === '') return undefined;
  if (/^[\x21-\x7e]{1,4096}$/.test(value)) return value;
  throw new CallRefusal('invalid', 'X-Provider-Key is not a key.');
}

/** A slow client slows the vendor down. A body that breaks off breaks the connection off: it must not look whole. */
async function sendAnswer(
  { raw, request }: FastifyReply,
  answer: ModelAnswer,
  gone: AbortSignal,
): Promise<void> {
  let hasBegun = false;
  // What has come with the vendor's headers goes out with them: alone they would cost the client and this process a turn.
  const alone = setImmediate(() => {
    // Not flushHeaders: it writes headers as UTF-8, and vendors' bytes are Latin-1.
    if (!hasBegun && !raw.destroyed) raw.write(NOTHING);
  });
  try {
    raw.writeHead(answer.status, [...answer.headers, 'x-millrace-request-id', request.id]);
    for await (const piece of answer.body) {
      if (raw.destroyed) return;
      hasBegun ||= piece.length > 0;
      if (piece.length > 0 && !raw.write(piece)) await once(raw, 'drain', { signal: gone });
    }
    raw.end();
  } catch {
    raw.destroy();
  } finally {
    clearImmediate(alone);
    await answer.close();
  }
}

export function modelEndpoint(deps: ModelEndpointDeps) {
  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const [path, query] = splitUrl(request.raw.url ?? '/');
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    let answer: ModelAnswer;
    try {
      const found = pathOf(request, path);
      const { requestsPerMinute: _, ...caller } = await callerOf(deps, request, found.provider);
      const admitted = deps.limits.take(`models ${caller.userId}`, CALLS_A_MINUTE);
      // A header that cannot be read may end the call first.
      admitted.catch(() => undefined);
      answer = await deps.gateway.call({
        ...found,
        pathModel: found.pathModel,
        isStreamPath: found.isStreamPath === true && asksForEvents(query),
        hidesUsage: found.provider === 'google' && hidesUsage(query, request.headers),
        method: request.method as 'GET' | 'POST',
        path: found.path + queryToVendor(query),
        headers: request.raw.rawHeaders,
        body: request.raw,
        caller,
        admitted,
        providerKey: providerKeyOf(request),
        trace: request.span?.context,
        signal: gone.signal,
      });
    } catch (error) {
      if (gone.signal.aborted) return reply.hijack();
      const refusal = refusalOf(error, deps.isUnavailable);
      if (refusal.kind === 'internal') {
        deps.log.error(
          { requestId: request.id, err: error },
          'a model call failed because of a bug',
        );
      }
      return sendRefusal(reply, vendorOf(path), refusal, error);
    }
    reply.hijack();
    await sendAnswer(reply, answer, gone.signal);
    return reply;
  }

  return async (app: FastifyInstance): Promise<void> => {
    // Bodies stay as they are, whatever they say they are.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.setErrorHandler((error, request, reply) => {
      const refusal = refusalOf(error, deps.isUnavailable);
      return sendRefusal(reply, vendorOf(request.url), refusal, error);
    });
    app.route({
      method: [...MODEL_METHODS],
      url: `${MODEL_ROOT}/*`,
      config: { waits: true, rawBody: true },
      schema: { hide: true },
      handler: handle,
    });
  };
}
