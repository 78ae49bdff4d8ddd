// /v1/triggers
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  CreateTriggerRequest,
  CreatedTrigger,
  DeletedTrigger,
  HookAnswer,
  RotateTriggerRequest,
  RotatedTrigger,
  TestTriggerRequest,
  TestedTrigger,
  Trigger,
  TriggerDeliveryPage,
  TriggerDeliveryQuery,
  TriggerList,
  UpdateTriggerRequest,
} from '../../contract/trigger-api.ts';
import type { TriggerService } from '../../services/triggers/triggers.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const TriggerParams = z.object({ id: z.string().meta({ description: 'The trigger id' }) });
const DeliveryParams = TriggerParams.extend({
  deliveryId: z.string().meta({ description: 'The delivery id' }),
});
const tags = ['Triggers'];

export function triggerRoutes(deps: { triggers: TriggerService }): FastifyPluginAsyncZodOpenApi {
  const { triggers } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/triggers',
      schema: {
        tags,
        operationId: 'createTrigger',
        summary: 'Create a trigger',
        description:
          'Asks for a run when its URL is called, or when something happens on GitHub or GitLab. The response contains the secret; it is not shown again.',
        headers: IdempotencyHeaders,
        body: CreateTriggerRequest,
        response: {
          201: json('The trigger, with its secret', CreatedTrigger),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const key = request.headers['idempotency-key'];
        return reply.code(201).send(await triggers.create(actorOf(request), request.body, key));
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/triggers',
      schema: {
        tags,
        operationId: 'listTriggers',
        summary: 'List triggers',
        description: 'Newest first, each with its last delivery.',
        response: {
          200: json('The triggers of the team', TriggerList),
          ...errorResponses(...ACCESS_ERRORS),
        },
      },
      handler: async (request) => ({ items: await triggers.list(identityOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/v1/triggers/:id',
      schema: {
        tags,
        operationId: 'getTrigger',
        summary: 'Get a trigger',
        description: 'Without its secret, which is shown only when it is created.',
        params: TriggerParams,
        response: {
          200: json('The trigger', Trigger),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => triggers.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/triggers/:id',
      schema: {
        tags,
        operationId: 'updateTrigger',
        summary: 'Update a trigger',
        description:
          'Changes, pauses or resumes a trigger. Omitted fields stay unchanged. Who changes `work` or resumes it becomes its owner.',
        params: TriggerParams,
        body: UpdateTriggerRequest,
        response: {
          200: json('The updated trigger', Trigger),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => triggers.update(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/triggers/:id',
      schema: {
        tags,
        operationId: 'deleteTrigger',
        summary: 'Delete a trigger',
        description: 'Also deletes its deliveries. Runs that it has asked for continue.',
        params: TriggerParams,
        response: {
          200: json('The trigger was deleted', DeletedTrigger),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => triggers.remove(actorOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/triggers/:id/rotate',
      schema: {
        tags,
        operationId: 'rotateTriggerSecret',
        summary: 'Rotate the secret of a trigger',
        description: 'The secret of before is good for up to 24 hours, too.',
        params: TriggerParams,
        body: RotateTriggerRequest,
        response: {
          200: json('The new secret', RotatedTrigger),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) => triggers.rotate(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'POST',
      url: '/v1/triggers/:id/test',
      schema: {
        tags,
        operationId: 'testTrigger',
        summary: 'See what an event would ask for',
        description: 'Fills in the work of the trigger with a sample event. Nothing is started.',
        params: TriggerParams,
        body: TestTriggerRequest,
        response: {
          200: json('The work', TestedTrigger),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => triggers.test(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'GET',
      url: '/v1/triggers/:id/deliveries',
      schema: {
        tags,
        operationId: 'listTriggerDeliveries',
        summary: 'List deliveries of a trigger',
        description: 'Newest first. The last 200 are kept, for 30 days.',
        params: TriggerParams,
        querystring: TriggerDeliveryQuery,
        response: {
          200: json('One page of deliveries', TriggerDeliveryPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) =>
        triggers.deliveries(identityOf(request), request.params.id, request.query),
    });

    app.route({
      method: 'POST',
      url: '/v1/triggers/:id/deliveries/:deliveryId/replay',
      schema: {
        tags,
        operationId: 'replayTriggerDelivery',
        summary: 'Replay a delivery',
        description: 'As if it came again, by the rules that the trigger has now.',
        params: DeliveryParams,
        response: {
          202: json('What came of it', HookAnswer),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        const { id, deliveryId } = request.params;
        return reply.code(202).send(await triggers.replay(actorOf(request), id, deliveryId));
      },
    });
  };
}
