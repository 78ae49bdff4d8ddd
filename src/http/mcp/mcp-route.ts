// POST /mcp: the tools for AI assistants, without an installation on the user's machine (Model Context
// Protocol, Streamable HTTP). Nothing is kept between requests, so any node can answer. There are no
// sessions to read from or to end: GET and DELETE answer 405.
//
// Not in the description of the API: the protocol describes itself, by tools/list.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/errors.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import { apiKeyOf, identityOf, teamIdOf } from '../access.ts';
import { sendError, toServiceError } from '../errors.ts';
import { goneSignal } from '../sse.ts';
import { whyForeign } from './foreign-site.ts';
import type { Site } from './foreign-site.ts';
import { insideFetch } from './inside-fetch.ts';
import { CHALLENGE } from './oauth-probe.ts';
import { sendResponse } from './send-response.ts';

/** Who calls, and how the tools reach the API in their name. */
export interface ToolCaller {
  apiKey: string;
  teamId: string | undefined;
  fetch: typeof globalThis.fetch;
}

export interface RemoteTools {
  /** The message is `body`; the request has headers and a signal alone. */
  answer(request: Request, body: unknown, caller: ToolCaller): Promise<Response>;
}

/** Besides those that begin with `mcp-`. No credential: the tools have theirs. */
const PASSED_ON = new Set(['accept', 'content-type']);

function headersOf({ headers }: FastifyRequest): Headers {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !(name.startsWith('mcp-') || PASSED_ON.has(name))) continue;
    passed.set(name, String(value));
  }
  return passed;
}

/** A stream like those of events: it must not outlast the server or the access of its reader, and is counted. */
function isSubscription(body: unknown): boolean {
  return (body as { method?: unknown } | undefined)?.method === 'subscriptions/listen';
}

const NO_BATCHES = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: 'Send one message per request; batches are not supported.' },
};

export function mcpRoute(deps: {
  tools: RemoteTools;
  site: Site;
  stopping: AbortSignal;
  accessWatch: AccessWatch;
  isUnavailable(error: unknown): boolean;
}) {
  return async (app: FastifyInstance): Promise<void> => {
    app.setErrorHandler((error, _request, reply) => {
      const refused = toServiceError(error, deps.isUnavailable);
      // Assistants ask for a key when the answer names the kind of credential that is missing.
      if (refused.status === 401) reply.header('www-authenticate', CHALLENGE);
      if (refused.status >= 500) throw error;
      return sendError(reply, refused);
    });
    app.route({
      method: 'POST',
      url: '/mcp',
      config: { waits: true },
      schema: { hide: true },
      preParsing: async ({ headers }) => {
        const why = whyForeign(headers, deps.site);
        if (why !== undefined) throw new ServiceError('FORBIDDEN', why);
      },
      handler: async (request, reply) => {
        const { body } = request;
        // One request is counted, so it is one call.
        if (Array.isArray(body)) return reply.code(400).send(NO_BATCHES);
        const { signal: never } = new AbortController();
        const signal = isSubscription(body)
          ? deps.accessWatch.until(
              identityOf(request),
              request.accessMoment,
              goneSignal(reply, deps.stopping),
            )
          : goneSignal(reply, never);
        const asked = new Request(`http://${request.host}/mcp`, {
          method: 'POST',
          headers: headersOf(request),
          signal,
        });
        const caller = {
          apiKey: apiKeyOf(request) ?? '',
          teamId: teamIdOf(request),
          fetch: insideFetch(app, request.ip, deps.stopping),
        };
        await sendResponse(reply, await deps.tools.answer(asked, body, caller), signal);
        return reply;
      },
    });
  };
}
