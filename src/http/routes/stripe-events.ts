// POST /api/v1/billing/stripe/webhook: events that Stripe sends
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { StripeEventReceived } from '../../contract/billing-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { StripeSync } from '../../services/billing/stripe-sync.ts';
import { BODY_ERRORS, errorResponses, json } from '../documented.ts';

const LARGEST_EVENT_BYTES = 1024 * 1024;

export function stripeEventRoute(deps: {
  /** Undefined where Stripe is not set up. */
  stripe: Pick<StripeSync, 'receive'> | undefined;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    // The signature is over the bytes as they came.
    app.removeAllContentTypeParsers();
    const limits = { parseAs: 'buffer', bodyLimit: LARGEST_EVENT_BYTES } as const;
    app.addContentTypeParser('application/json', limits, (_request, body, done) => {
      done(null, body);
    });
    app.route({
      method: 'POST',
      url: '/api/v1/billing/stripe/webhook',
      schema: {
        tags: ['Billing'],
        operationId: 'receiveStripeEvent',
        summary: 'Receive a Stripe event',
        description:
          'For Stripe alone: the signature in `Stripe-Signature` is checked. Events may come twice and in any order.',
        response: {
          200: json('The event was dealt with', StripeEventReceived),
          ...errorResponses(...BODY_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        if (deps.stripe === undefined) {
          throw new ServiceError('NOT_FOUND', 'This server does not charge with Stripe.');
        }
        const signature = request.headers['stripe-signature'];
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        await deps.stripe.receive(body, Array.isArray(signature) ? signature[0] : signature);
        return { received: true as const };
      },
    });
  };
}
