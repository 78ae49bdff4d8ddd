// The description of the API, made from the schemas that check the requests.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { fastifyZodOpenApiPlugin, fastifyZodOpenApiTransformers } from 'fastify-zod-openapi';
import { sayRequestDefaults } from './openapi-requests.ts';
import { openApiWebhooks } from './openapi-webhooks.ts';

const INTERFACE_VERSION = '1.0.0-rc.1';

export async function installOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(fastifyZodOpenApiPlugin);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      'x-interface-version': INTERFACE_VERSION,
      info: {
        title: 'Millrace',
        version,
        description:
          'Run language-model jobs and keep their history. A request acts in your personal team, unless its API key was made for another team or `X-Team-Id` names one.',
        contact: { name: 'The operator of this server' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [
        { name: 'Jobs', description: 'Create, follow and cancel jobs.' },
        {
          name: 'Executions',
          description: 'Tasks that the server plans and runs step by step.',
        },
        { name: 'Runs', description: 'Runs of manifests while they are under way.' },
        { name: 'Approvals', description: 'What runs ask a person before they act.' },
        { name: 'Run requests', description: 'Runs that are asked for here and made by a runner.' },
        { name: 'Runners', description: 'Machines that make runs for those who ask.' },
        { name: 'Schedules', description: 'Runs that are asked for at certain times.' },
        {
          name: 'Triggers',
          description: 'Runs that are asked for when something happens elsewhere.',
        },
        { name: 'Live', description: 'One stream for everything that a page follows.' },
        { name: 'Provider keys', description: 'Your own keys for model providers.' },
        { name: 'History', description: 'Past runs, their streams and their cost.' },
        { name: 'Webhooks', description: 'Execution events sent to your URL.' },
        { name: 'Teams', description: 'People who share jobs, history and webhooks.' },
        { name: 'Usage', description: 'What a team used, its quota and its budget.' },
        { name: 'API keys', description: 'The keys that programs call with.' },
        { name: 'Accounts', description: 'Sign in, and manage your sessions and password.' },
        { name: 'Audit', description: 'Who changed access, money or settings.' },
        { name: 'Billing', description: 'The plan of a team, and paying for it.' },
        {
          name: 'Server administration',
          description: 'All accounts and teams, for server administrators.',
        },
      ],
      webhooks: openApiWebhooks(),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'millrace_session',
            description: 'Set by signing in. Under https its name begins with `__Host-`.',
          },
        },
      },
      security: [{ apiKey: [] }, { bearer: [] }, { session: [] }],
    } as never,
    ...fastifyZodOpenApiTransformers,
    transformObject(source) {
      const document = fastifyZodOpenApiTransformers.transformObject(source);
      sayRequestDefaults(document);
      return document;
    },
  });
}
