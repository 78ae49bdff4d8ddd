import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const RUN = { feature: 'x', status: 'complete', startedAt: '2025-01-01T00:00:00Z' };
const JOB = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };
const ROUTES = [
  { scope: 'jobs', method: 'POST', path: '/api/v1/execute', body: JOB },
  { scope: 'jobs', method: 'GET', path: '/api/v1/job/x' },
  { scope: 'jobs', method: 'GET', path: '/api/v1/job/x/events' },
  { scope: 'jobs', method: 'POST', path: '/api/v1/job/x/cancel' },
  { scope: 'history', method: 'GET', path: '/api/v1/history' },
  { scope: 'history', method: 'GET', path: '/api/v1/history/none' },
  { scope: 'keys', method: 'GET', path: '/api/v1/keys' },
  { scope: 'keys', method: 'DELETE', path: '/api/v1/keys/openai' },
  { scope: 'keys', method: 'POST', path: '/api/v1/keys/openai/test' },
  { scope: 'executions', method: 'GET', path: '/v1/executions' },
  { scope: 'executions', method: 'GET', path: '/v1/executions/x' },
  { scope: 'executions', method: 'POST', path: '/v1/executions/x/cancel' },
  { scope: 'webhooks', method: 'GET', path: '/v1/webhooks' },
  { scope: 'webhooks', method: 'GET', path: '/v1/webhooks/x' },
  { scope: 'webhooks', method: 'POST', path: '/v1/webhooks/x/test' },
  {
    scope: 'history',
    method: 'PUT',
    path: '/api/v1/history/scoped',
    body: { run: RUN, streams: [] },
  },
];

it('a key opens the routes of its scopes and no others', async () => {
  verifies('auth.forbidden');
  for (const scope of ['jobs', 'history', 'keys', 'webhooks', 'executions']) {
    const { key } = await server().createKey({ scopes: [scope] });
    for (const { scope: needed, method, path, ...rest } of ROUTES) {
      const answer = await server().call(method, path, { key, ...rest });
      if (needed === scope) expect(answer.status, path).not.toBe(403);
      else expect(expectError(answer, 'FORBIDDEN').message).toContain(`"${needed}"`);
    }
  }
});

it('a key with the scope admin opens everything', async () => {
  const { key } = await server().createKey({ scopes: ['admin'] });
  for (const { method, path: route, scope: _, ...rest } of ROUTES) {
    const path = route.replace('scoped', 'by-admin');
    const answer = await server().call(method, path, { key, ...rest });
    expect([200, 201, 202, 404], path).toContain(answer.status);
  }
});

it('a key of an unknown scope cannot be made', async () => {
  await expect(server().createKey({ scopes: ['everything'] })).rejects.toThrow(/Unknown scope/);
});
