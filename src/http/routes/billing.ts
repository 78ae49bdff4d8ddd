// /v1/billing: the plan of a team
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import {
  BillingPortal,
  ChangeSubscriptionRequest,
  Subscription,
} from '../../contract/billing-api.ts';
import type { BillingService } from '../../services/billing/billing.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const tags = ['Billing'];

export function billingRoutes(deps: { billing: BillingService }): FastifyPluginAsyncZodOpenApi {
  const { billing } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/billing/subscription',
      schema: {
        tags,
        operationId: 'getSubscription',
        summary: "Get the team's plan",
        description: 'For its members.',
        response: {
          200: json('The plan', Subscription),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => billing.find(identityOf(request)),
    });

    app.route({
      method: 'POST',
      url: '/v1/billing/subscription',
      schema: {
        tags,
        operationId: 'changeSubscription',
        summary: "Change the team's plan",
        description:
          'For its owners. A higher tier and seats are in force at once, a lower tier and a cancellation when the period ends. The request replaces what was scheduled before. On a server that charges with Stripe, the first paid plan returns a `checkoutUrl`.',
        headers: IdempotencyHeaders,
        body: ChangeSubscriptionRequest,
        response: {
          200: json('The plan', Subscription),
          ...errorResponses(
            ...BODY_ERRORS,
            ...ACCESS_ERRORS,
            'NOT_FOUND',
            'CONFLICT',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const key = request.headers['idempotency-key'];
        const changed = await billing.change(actorOf(request), request.body, key);
        if (changed.replayed) reply.header('idempotency-replayed', 'true');
        return reply.send(changed.subscription);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/billing/portal',
      schema: {
        tags,
        operationId: 'openBillingPortal',
        summary: 'Open the billing portal',
        description: 'For owners: a link to invoices and payment methods at Stripe.',
        response: {
          200: json('The link', BillingPortal),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request) => ({ url: await billing.openPortal(actorOf(request)) }),
    });
  };
}
