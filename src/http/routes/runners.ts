// /v1/runners and /v1/projects: machines that take run requests.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  AnnounceRunner,
  AnnouncedRunner,
  ChangeProject,
  ChangeRunner,
  PollRunner,
  PolledRunner,
  Project,
  ProjectList,
  RemovedRunner,
  Runner,
  RunnerList,
} from '../../contract/runner-api.ts';
import type { RunnerService } from '../../services/runners/runners.ts';
import { actorOf, identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { goneSignal } from '../sse.ts';

const tags = ['Runners'];
const params = z.object({ id: z.string().meta({ description: 'The runner id' }) });
const READ_ERRORS = errorResponses(...ACCESS_ERRORS);
const FIND_ERRORS = errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND');
const WRITE_ERRORS = errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT');

export function runnerRoutes({
  runners,
  stopping,
}: {
  runners: RunnerService;
  /** Aborts when the server stops: nobody is kept waiting then. */
  stopping: AbortSignal;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/runners',
      schema: {
        tags,
        operationId: 'announceRunner',
        summary: 'Announce a runner',
        description:
          'For the command of a runner, when it starts and when what it has changes. With the `id` of before it is the same runner, and the process that was it no longer is.',
        body: AnnounceRunner,
        response: { 200: json('Who it is from now on', AnnouncedRunner), ...WRITE_ERRORS },
      },
      handler: (request) => runners.announce(actorOf(request), request.body),
    });

    app.route({
      method: 'POST',
      url: '/v1/runners/:id/poll',
      config: { waits: true },
      schema: {
        tags,
        operationId: 'pollRunner',
        summary: 'Ask for work',
        description:
          'For the command of a runner. Keeps the requests that it names its own, and responds when there is something to start or to stop.',
        params,
        body: PollRunner,
        response: { 200: json('What to start and to stop', PolledRunner), ...WRITE_ERRORS },
      },
      handler: (request, reply) => {
        const gone = goneSignal(reply, stopping);
        return runners.poll(identityOf(request), request.params.id, request.body, gone);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/runners',
      schema: {
        tags,
        operationId: 'listRunners',
        summary: 'List runners',
        description: 'Of the team, with what each can work on and does now.',
        response: { 200: json('The runners', RunnerList), ...READ_ERRORS },
      },
      handler: async (request) => ({ items: await runners.list(identityOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/v1/runners/:id',
      schema: {
        tags,
        operationId: 'getRunner',
        summary: 'Get a runner',
        description: 'With what it can work on and what it does now.',
        params,
        response: { 200: json('The runner', Runner), ...FIND_ERRORS },
      },
      handler: (request) => runners.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/runners/:id',
      schema: {
        tags,
        operationId: 'changeRunner',
        summary: 'Drain a runner',
        description: 'It finishes what it has and takes nothing new, until you say otherwise.',
        params,
        body: ChangeRunner,
        response: { 200: json('The runner', Runner), ...WRITE_ERRORS },
      },
      handler: (request) =>
        runners.setDraining(actorOf(request), request.params.id, request.body.draining),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/runners/:id',
      schema: {
        tags,
        operationId: 'removeRunner',
        summary: 'Remove a runner',
        description:
          'What it has under way goes to other runners; what only it has the files of fails. A runner that still runs announces itself anew.',
        params,
        response: { 200: json('It was removed', RemovedRunner), ...FIND_ERRORS },
      },
      handler: async (request) => {
        const { id } = request.params;
        await runners.remove(actorOf(request), id);
        return { removed: true as const, id };
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/projects',
      schema: {
        tags,
        operationId: 'listProjects',
        summary: 'List projects',
        description: 'What the runners of the team can work on, with what waits and runs there.',
        response: { 200: json('The projects', ProjectList), ...READ_ERRORS },
      },
      handler: async (request) => ({ items: await runners.projects(identityOf(request)) }),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/projects/:name',
      schema: {
        tags,
        operationId: 'changeProject',
        summary: 'Limit a project',
        description: 'How many of its requests may be under way at once, over all runners.',
        params: z.object({ name: z.string().meta({ description: 'The name of the project' }) }),
        body: ChangeProject,
        response: { 200: json('The project', Project), ...WRITE_ERRORS },
      },
      handler: (request) =>
        runners.setMaxRunning(identityOf(request), request.params.name, request.body.maxRunning),
    });
  };
}
