// /api/v1/auth: signing in and out, and one's own sessions and password
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  ChangePasswordRequest,
  EndedSession,
  EndedSessions,
  LoginRequest,
  Me,
  SessionList,
  SignedIn,
  SignedOut,
  UpdateMeRequest,
} from '../../contract/auth-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { KnownDevices } from '../../services/accounts/known-devices.ts';
import type { OwnProfile } from '../../services/accounts/me.ts';
import type { OpenedSession, SignInService, Visitor } from '../../services/accounts/sign-in.ts';
import { actorOf, identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { originOf } from '../same-origin.ts';
import type { DeviceCookie, SessionCookie } from '../session-cookie.ts';

export interface AuthRouteDeps {
  signIn: SignInService;
  ownProfile: OwnProfile;
  sessionCookie: SessionCookie;
  deviceCookie: DeviceCookie;
  knownDevices: KnownDevices;
  publicOrigin: string | undefined;
}

const tags = ['Accounts'];
const SessionParams = z.object({ id: z.string().meta({ description: 'The session id' }) });

export function visitorOf(
  request: FastifyRequest,
  { sessionCookie, deviceCookie }: AuthRouteDeps,
): Visitor {
  return {
    address: request.ip,
    userAgent: request.headers['user-agent'],
    sessionToken: sessionCookie.read(request),
    device: deviceCookie.read(request),
  };
}

/** Another page could sign its visitor in to an account of its own, to see what they do there. */
export function refuseOtherOrigins(request: FastifyRequest, { publicOrigin }: AuthRouteDeps): void {
  if (originOf(request.headers, publicOrigin) !== 'other') return;
  throw new ServiceError('FORBIDDEN', "Sign in from this server's own page.");
}

export function sendOpened(
  reply: FastifyReply,
  { token, signedIn }: OpenedSession,
  { sessionCookie, deviceCookie, knownDevices }: AuthRouteDeps,
): SignedIn {
  sessionCookie.set(reply, token);
  const device = deviceCookie.read(reply.request);
  deviceCookie.set(reply, knownDevices.remember(device, signedIn.user.email));
  return signedIn;
}

export function authRoutes(deps: AuthRouteDeps): FastifyPluginAsyncZodOpenApi {
  const { signIn, sessionCookie } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/auth/login',
      schema: {
        tags,
        operationId: 'login',
        summary: 'Sign in',
        description:
          'Sets the session cookie, with a new token each time. The answer is the same for an unknown email and a wrong password. Five attempts a minute per network address and account, and 100 an hour per account; a browser that has signed in to the account before has five a minute of its own.',
        security: [],
        body: LoginRequest,
        response: {
          200: json('You are signed in', SignedIn),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const { email, password } = request.body;
        const opened = await signIn.signIn(email, password, visitorOf(request, deps));
        return sendOpened(reply, opened, deps);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/logout',
      schema: {
        tags,
        operationId: 'logout',
        summary: 'Sign out',
        description: 'Ends this session on the server and removes the cookie.',
        response: {
          200: json('You are signed out', SignedOut),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: async (request, reply) => {
        await signIn.signOut(actorOf(request));
        sessionCookie.clear(reply);
        return { signedOut: true as const };
      },
    });

    app.route({
      method: 'GET',
      url: '/api/v1/auth/me',
      schema: {
        tags,
        operationId: 'getMe',
        summary: 'Get the caller',
        description: 'The account, the team that the request acts in, and the credential.',
        response: { 200: json('Who you are', Me), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: (request) => deps.ownProfile.describe(identityOf(request)),
    });

    app.route({
      method: 'PATCH',
      url: '/api/v1/auth/me',
      schema: {
        tags,
        operationId: 'updateMe',
        summary: 'Change your name, and what you are mailed',
        description: 'For people who are signed in, not for API keys.',
        body: UpdateMeRequest,
        response: {
          200: json('Who you are', Me),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: (request) => deps.ownProfile.update(actorOf(request), request.body),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/auth/sessions',
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List your sessions',
        description: 'Newest first. For people who are signed in, not for API keys.',
        response: { 200: json('Your sessions', SessionList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => ({ items: await signIn.list(identityOf(request)) }),
    });

    app.route({
      method: 'DELETE',
      url: '/api/v1/auth/sessions/:id',
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End a session',
        description: 'Takes effect on every node within 5 seconds.',
        params: SessionParams,
        response: {
          200: json('The session has ended', EndedSession),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        const { id } = request.params;
        await signIn.end(actorOf(request), id);
        return { ended: true as const, id };
      },
    });

    app.route({
      method: 'DELETE',
      url: '/api/v1/auth/sessions',
      schema: {
        tags,
        operationId: 'endAllSessions',
        summary: 'Sign out everywhere',
        description: 'Ends all your sessions, this one included. API keys keep working.',
        response: {
          200: json('How many sessions have ended', EndedSessions),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: async (request, reply) => {
        const ended = await signIn.endAll(actorOf(request));
        sessionCookie.clear(reply);
        return { ended };
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/password',
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change your password',
        description:
          'Ends all your other sessions and gives this one a new token. API keys keep working.',
        body: ChangePasswordRequest,
        response: {
          200: json('The password was changed', SignedIn),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        const visitor = visitorOf(request, deps);
        const opened = await signIn.changePassword(actorOf(request), request.body, visitor);
        return sendOpened(reply, opened, deps);
      },
    });
  };
}
