// /api/v1/auth/device: a command line signs in with a code that a person approves
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import {
  DeviceCode,
  DeviceCodeRequest,
  DeviceDecision,
  DeviceDecisionRequest,
  DeviceLookupRequest,
  DeviceRequest,
  DeviceToken,
  DeviceTokenRequest,
} from '../../contract/device-api.ts';
import type { DeviceSignIn } from '../../services/accounts/device-sign-in.ts';
import { actorOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';

const tags = ['Accounts'];

export function deviceRoutes(deps: { deviceSignIn: DeviceSignIn }): FastifyPluginAsyncZodOpenApi {
  const { deviceSignIn } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/auth/device',
      schema: {
        tags,
        operationId: 'startDeviceSignIn',
        summary: 'Start the sign-in of a command line',
        description:
          'Show `userCode` and `verificationUrl` to the person, then ask for the token every `intervalSeconds`. The code works once, for 10 minutes.',
        security: [],
        body: DeviceCodeRequest,
        response: {
          201: json('The codes', DeviceCode),
          ...errorResponses(...BODY_ERRORS, 'RATE_LIMITED'),
        },
      },
      handler: async (request, reply) => {
        const started = await deviceSignIn.start(request.body.clientName, request.ip);
        return reply.code(201).send(started);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/device/token',
      schema: {
        tags,
        operationId: 'takeDeviceToken',
        summary: 'Get the token of a command line',
        description:
          'The token, once, when the person has approved. Until then an error whose `details.state` says why: `pending` and `slow_down` (409; wait `details.intervalSeconds`), `denied` (403), `expired` (404).',
        security: [],
        body: DeviceTokenRequest,
        response: {
          200: json('You are signed in', DeviceToken),
          ...errorResponses(
            ...BODY_ERRORS,
            'FORBIDDEN',
            'ACCOUNT_SUSPENDED',
            'NOT_FOUND',
            'CONFLICT',
            'RATE_LIMITED',
          ),
        },
      },
      handler: async (request, reply) => {
        const taken = await deviceSignIn.takeToken(request.body.deviceCode, request.ip);
        return reply.send(taken);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/device/lookup',
      schema: {
        tags,
        operationId: 'lookUpDeviceCode',
        summary: 'Look up a code',
        description:
          'What asks to sign in with this code. For the page `/device`. Decides nothing.',
        body: DeviceLookupRequest,
        response: {
          200: json('What asks', DeviceRequest),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => deviceSignIn.look(actorOf(request), request.body.userCode),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/device/decision',
      schema: {
        tags,
        operationId: 'decideDeviceSignIn',
        summary: 'Allow or deny the sign-in of a command line',
        description: 'For people at a browser. A command line that is let in acts as you.',
        body: DeviceDecisionRequest,
        response: {
          200: json('The decision', DeviceDecision),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        await deviceSignIn.decide(actorOf(request), request.body);
        return { approved: request.body.approve };
      },
    });
  };
}
