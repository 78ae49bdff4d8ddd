// /api/v1/auth, for people with a link: the set-up of a server, an invitation, a forgotten password, a sign-in
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import {
  ForgotPassword,
  ForgotPasswordRequest,
  Link,
  LinkRequest,
  ResetPasswordRequest,
  SetUpRequest,
  SignUpRequest,
  SignedIn,
} from '../../contract/auth-api.ts';
import type { AccountLinkService } from '../../services/accounts/account-links.ts';
import type { ForgottenPasswords } from '../../services/accounts/forgotten-password.ts';
import { BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { refuseOtherOrigins, sendOpened, visitorOf } from './auth.ts';
import type { AuthRouteDeps } from './auth.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';

const tags = ['Accounts'];
/** Anybody may call these who has a link. */
const security: [] = [];
const LINK_ERRORS = [...BODY_ERRORS, 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED'] as const;

export function accountLinkRoutes(
  deps: AuthRouteDeps & {
    accountLinks: AccountLinkService;
    forgottenPasswords: ForgottenPasswords;
  },
): FastifyPluginAsyncZodOpenApi {
  const { accountLinks } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/auth/link',
      schema: {
        tags,
        operationId: 'inspectLink',
        summary: 'Look up a link',
        description:
          'What a set-up, invitation, password or sign-in link is for. Does not use it up.',
        security,
        body: LinkRequest,
        response: { 200: json('The link', Link), ...errorResponses(...LINK_ERRORS) },
      },
      handler: (request) => accountLinks.inspect(request.body.token, request.ip),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/setup',
      schema: {
        tags,
        operationId: 'setUpServer',
        summary: 'Create the first account',
        description:
          'With the set-up link that a new server prints. The account becomes a server administrator. Signs you in.',
        security,
        body: SetUpRequest,
        response: {
          201: json('The account was created', SignedIn),
          ...errorResponses(...LINK_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const opened = await accountLinks.setUp(request.body, visitorOf(request, deps));
        return reply.code(201).send(sendOpened(reply, opened, deps));
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/sign-up',
      schema: {
        tags,
        operationId: 'signUp',
        summary: 'Create an account from an invitation',
        description:
          'Creates the account, joins the team of the invitation and signs you in. With an account, sign in and accept the invitation instead.',
        security,
        body: SignUpRequest,
        response: {
          201: json('The account was created', SignedIn),
          ...errorResponses(...LINK_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const opened = await accountLinks.signUp(request.body, visitorOf(request, deps));
        return reply.code(201).send(sendOpened(reply, opened, deps));
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/forgot-password',
      schema: {
        tags,
        operationId: 'forgotPassword',
        summary: 'Ask for a password link by mail',
        description:
          'The answer is the same whether or not there is an account. 404 when the server does not send mail.',
        security,
        body: ForgotPasswordRequest,
        response: {
          202: json('If there is an account, it is mailed a link', ForgotPassword),
          ...errorResponses(...LINK_ERRORS),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        await deps.forgottenPasswords.ask(request.body.email, request.ip);
        return reply.code(202).send({ accepted: true as const });
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/password-reset',
      schema: {
        tags,
        operationId: 'resetPassword',
        summary: 'Set a new password',
        description: 'With a password link. Ends all sessions of the account, then signs you in.',
        security,
        body: ResetPasswordRequest,
        response: {
          200: json('The password was changed', SignedIn),
          ...errorResponses(...LINK_ERRORS),
        },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const opened = await accountLinks.resetPassword(request.body, visitorOf(request, deps));
        return sendOpened(reply, opened, deps);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/sign-in-link',
      schema: {
        tags,
        operationId: 'signInWithLink',
        summary: 'Sign in with a link',
        description: `With the link that \`${plainCommand('demo')}\` or \`${plainCommand('admin', 'sign-in-link')}\` prints on the machine of the server. It works once, for 10 minutes.`,
        security,
        body: LinkRequest,
        response: { 200: json('You are signed in', SignedIn), ...errorResponses(...LINK_ERRORS) },
      },
      handler: async (request, reply) => {
        refuseOtherOrigins(request, deps);
        const opened = await accountLinks.signIn(request.body.token, visitorOf(request, deps));
        return sendOpened(reply, opened, deps);
      },
    });
  };
}
