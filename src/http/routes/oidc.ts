// /api/v1/auth/oidc: signing in with the provider of an organisation. People come here with a browser, so
// what goes wrong is shown by the sign-in page
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import { OidcStartRequest, OidcStarted } from '../../contract/oidc-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { OidcProblemError } from '../../services/accounts/oidc-sign-in.ts';
import type { OidcSignIn } from '../../services/accounts/oidc-sign-in.ts';
import type { IdentityService } from '../../services/identity.ts';
import { BODY_ERRORS, errorResponses, json } from '../documented.ts';
import type { FlowCookie } from '../flow-cookie.ts';
import { originOf } from '../same-origin.ts';
import { refuseOtherOrigins, sendOpened, visitorOf } from './auth.ts';
import type { AuthRouteDeps } from './auth.ts';

/** See Other: whatever was asked for, the browser gets a page. */
const SEE_OTHER = 303;

/** A path of a page of this server. */
const StartQuery = z.object({ return: z.string().optional() });

/** Every problem has a sentence on the sign-in page. */
async function orProblemPage(
  reply: FastifyReply,
  work: () => Promise<string>,
): Promise<FastifyReply> {
  reply.header('referrer-policy', 'no-referrer');
  try {
    return reply.redirect(await work(), SEE_OTHER);
  } catch (error) {
    if (error instanceof OidcProblemError) {
      const connect = error.problem === 'account-exists' ? '&sso' : '';
      return reply.redirect(`/login?problem=${error.problem}${connect}`, SEE_OTHER);
    }
    if (error instanceof ServiceError && error.code === 'RATE_LIMITED') {
      return reply.redirect('/login?problem=too-often', SEE_OTHER);
    }
    throw error;
  }
}

export function oidcRoutes(
  deps: AuthRouteDeps & {
    oidcSignIn: OidcSignIn;
    flowCookie: FlowCookie;
    identities: IdentityService;
  },
): FastifyPluginAsyncZodOpenApi {
  const { oidcSignIn, flowCookie, identities, sessionCookie } = deps;

  async function signedInBy(request: FastifyRequest): Promise<Identity> {
    const sessionToken = sessionCookie.read(request);
    return identities.authenticate({ apiKey: undefined, sessionToken, teamId: undefined });
  }

  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/auth/oidc/start',
      schema: { hide: true, querystring: StartQuery },
      handler: (request, reply) =>
        orProblemPage(reply, async () => {
          const asked = { returnTo: request.query.return };
          const { url, cookie } = await oidcSignIn.start(asked, request.ip);
          flowCookie.set(reply, cookie);
          return url;
        }),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/oidc/start',
      schema: {
        tags: ['Accounts'],
        operationId: 'startSingleSignOn',
        summary: 'Start a single sign-on',
        description:
          'For the pages of the server: with an invitation, or to connect your account. 404 when single sign-on is not set up.',
        security: [],
        body: OidcStartRequest,
        response: {
          200: json('Where to go', OidcStarted),
          ...errorResponses(
            ...BODY_ERRORS,
            'UNAUTHORIZED',
            'FORBIDDEN',
            'ACCOUNT_SUSPENDED',
            'NOT_FOUND',
            'RATE_LIMITED',
          ),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const { return: returnTo, invitation, connect = false } = request.body;
        if (connect && originOf(request.headers, deps.publicOrigin) !== 'same') {
          throw new ServiceError('FORBIDDEN', "Connect your account from this server's own page.");
        }
        const who = connect ? { connect: await signedInBy(request) } : {};
        try {
          const asked = { returnTo, invitation, ...who };
          const { url, cookie } = await oidcSignIn.start(asked, request.ip);
          flowCookie.set(reply, cookie);
          return await reply.send({ url });
        } catch (error) {
          if (!(error instanceof OidcProblemError)) throw error;
          const message = 'The single sign-on provider does not answer. Try again in a minute.';
          throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 30 });
        }
      },
    });

    app.route({
      method: 'GET',
      url: '/api/v1/auth/oidc/callback',
      schema: { hide: true },
      handler: (request, reply) =>
        orProblemPage(reply, async () => {
          flowCookie.clear(reply);
          const signedIn = await signedInBy(request).catch(() => undefined);
          const cookie = flowCookie.read(request);
          const visitor = visitorOf(request, deps);
          const finished = await oidcSignIn.finish(request.url, cookie, visitor, signedIn);
          sendOpened(reply, finished.opened, deps);
          return finished.returnTo;
        }),
    });
  };
}
