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
import type { WebhookService } from '../../services/webhooks.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, IdempotencyHeaders, errorResponses } from '../documented.ts';

const WebhookParams = z.object({ id: z.string().meta({ description: 'The webhook id' }) });
const DeliveryParams = WebhookParams.extend({
  deliveryId: z.string().meta({ description: 'The delivery id' }),
});
const access = { scope: 'webhooks', surface: 'executions' } as const;
const tags = ['Webhooks'];
const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});
/** Of any method that may carry a body, wanted or not. */
const BODY_ERRORS = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

export function webhookRoutes(deps: { webhooks: WebhookService }): FastifyPluginAsyncZodOpenApi {
  const { webhooks } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/webhooks',
      config: { access },
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Hear of events at a URL',
        description:
          'From now on the events are sent to the URL by POST, signed by the rules of Standard Webhooks. The secret that checks the signatures is in this answer only.',
        headers: IdempotencyHeaders,
        body: CreateWebhookRequest,
        response: {
          201: json('The webhook, with its secret', CreatedWebhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const { webhook, replayed } = await webhooks.create(
          identityOf(request),
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
      config: { access },
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List your webhooks',
        description: 'Newest first.',
        response: { 200: json('Your webhooks', WebhookList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => ({ items: await webhooks.list(identityOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/v1/webhooks/:id',
      config: { access },
      schema: {
        tags,
        operationId: 'getWebhook',
        summary: 'Look at one webhook',
        description: 'Without its secret, which is shown only when it is made.',
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
      config: { access },
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Change, pause or switch on a webhook',
        description: 'Fields that are left out stay as they are.',
        params: WebhookParams,
        body: UpdateWebhookRequest,
        response: {
          200: json('The webhook as it is now', Webhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.update(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/webhooks/:id',
      config: { access },
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook, with what waits for it',
        description: 'Nothing more is sent, and the record of what was sent goes with it.',
        params: WebhookParams,
        response: {
          200: json('It is deleted', DeletedWebhook),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.remove(identityOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/webhooks/:id/rotate-secret',
      config: { access },
      schema: {
        tags,
        operationId: 'rotateWebhookSecret',
        summary: 'Get a new secret',
        description: 'For 24 hours the old secret signs too.',
        params: WebhookParams,
        response: {
          200: json('The new secret', RotatedSecret),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => webhooks.rotateSecret(identityOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/webhooks/:id/test',
      config: { access },
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a test event',
        description: 'The event `webhook.test` goes the way of every other event.',
        params: WebhookParams,
        response: {
          202: json('The delivery that will be made', QueuedDelivery),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request, reply) =>
        reply.code(202).send(await webhooks.test(identityOf(request), request.params.id)),
    });

    app.route({
      method: 'GET',
      url: '/v1/webhooks/:id/deliveries',
      config: { access },
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List what was sent, try by try',
        description: 'Newest first. Kept for 30 days.',
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
      config: { access },
      schema: {
        tags,
        operationId: 'redeliverWebhook',
        summary: 'Send an event again',
        description: 'With the same id, whatever became of it before.',
        params: DeliveryParams,
        response: {
          202: json('The delivery that will be made', QueuedDelivery),
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
