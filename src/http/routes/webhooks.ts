// /v1/webhooks
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  CreateWebhookRequest,
  CreatedWebhook,
  DeletedWebhook,
  DeliveryPage,
  DeliveryQuery,
  QueuedDelivery,
  RotatedSecret,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
} from '../../contract/webhook-api.ts';
import type { WebhookService } from '../../services/webhooks/webhooks.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const WebhookParams = z.object({ id: z.string().meta({ description: 'The webhook id' }) });
const DeliveryParams = WebhookParams.extend({
  deliveryId: z.string().meta({ description: 'The delivery id' }),
});
const tags = ['Webhooks'];

export function webhookRoutes(deps: { webhooks: WebhookService }): FastifyPluginAsyncZodOpenApi {
  const { webhooks } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/webhooks',
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Sends execution events to a URL by POST, signed according to Standard Webhooks. The response contains the secret to verify signatures; it is not shown again.',
        headers: IdempotencyHeaders,
        body: CreateWebhookRequest,
        response: {
          201: json('The webhook, with its secret', CreatedWebhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const { webhook, replayed } = await webhooks.create(
          actorOf(request),
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(webhook);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/webhooks',
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Newest first.',
        response: { 200: json('Your webhooks', WebhookList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => ({ items: await webhooks.list(identityOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/v1/webhooks/:id',
      schema: {
        tags,
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        description: 'Does not include the secret, which is shown only when it is created.',
        params: WebhookParams,
        response: {
          200: json('The webhook', Webhook),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/webhooks/:id',
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Update a webhook',
        description: 'Changes, pauses or re-enables a webhook. Omitted fields stay unchanged.',
        params: WebhookParams,
        body: UpdateWebhookRequest,
        response: {
          200: json('The updated webhook', Webhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.update(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/webhooks/:id',
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Also deletes its pending deliveries and its delivery history.',
        params: WebhookParams,
        response: {
          200: json('The webhook was deleted', DeletedWebhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.remove(actorOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/webhooks/:id/rotate-secret',
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate a webhook secret',
        description: 'Events are signed with the old secret too for 24 hours.',
        params: WebhookParams,
        response: {
          200: json('The new secret', RotatedSecret),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.rotateSecret(actorOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/webhooks/:id/test',
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description: 'Queues a `webhook.test` event for this webhook.',
        params: WebhookParams,
        response: {
          202: json('The queued delivery', QueuedDelivery),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request, reply) =>
        reply.code(202).send(await webhooks.test(identityOf(request), request.params.id)),
    });

    app.route({
      method: 'GET',
      url: '/v1/webhooks/:id/deliveries',
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries',
        description: 'Newest first, with every attempt. Deliveries are kept for 30 days.',
        params: WebhookParams,
        querystring: DeliveryQuery,
        response: {
          200: json('One page of deliveries', DeliveryPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) =>
        webhooks.deliveries(identityOf(request), request.params.id, request.query),
    });

    app.route({
      method: 'POST',
      url: '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
      schema: {
        tags,
        operationId: 'redeliverWebhook',
        summary: 'Redeliver an event',
        description: 'Sends the event again with the same id.',
        params: DeliveryParams,
        response: {
          202: json('The queued delivery', QueuedDelivery),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        const { id, deliveryId } = request.params;
        return reply.code(202).send(await webhooks.redeliver(identityOf(request), id, deliveryId));
      },
    });
  };
}
