import { afterAll, beforeAll, expect, it } from 'vitest';
import { WEB_PAGES } from '../../src/http/web/web-pages.ts';
import { runnerBody } from '../runners/fake-runner.ts';
import { reviewFile } from '../approvals/review-files.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { verifies } from '../support/verifies.ts';
import { ROUTES, nameOf } from './route-table.ts';

let database: TestDatabase;
let proxy: TcpProxy;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(database.url);
  const through = { databaseUrl: proxy.url, databaseDirectUrl: proxy.url };
  // Nobody answers there either; the database is asked first.
  const away = {
    databaseSilenceSeconds: 8,
    smtpUrl: 'smtp://127.0.0.1:1',
    mailFrom: 'millrace@example.com',
    oidcIssuer: 'http://127.0.0.1:1',
    oidcClientId: 'millrace',
  };
  server = await startTestServer({ role: 'api', ...through, ...away }, database.url);
});
afterAll(async () => {
  await server.close();
  await proxy.close();
  await database.drop();
});

/** These tell of the process, or of the API, and need no database. */
const WITHOUT_DATABASE =
  /^\/(?:healthz|openapi|docs|schemas|api\/v1\/billing\/stripe|api\/v1\/prices|assets|favicon|llms)/;
/** A stream has begun by then; it ends, and its reader comes back. */
const STREAM = '/api/v1/events';
const needsDatabase = (path: string) =>
  path !== STREAM && !WITHOUT_DATABASE.test(path) && !WEB_PAGES.some((page) => page === path);

const LINK = { token: 'mill_ln_x', email: 'a@example.com', password: 'tulpe wagen regen 42' };

const SEEN = 'a'.repeat(64);

const BODIES: Record<string, object> = {
  'POST /v1/teams': { name: 'x' },
  'PATCH /v1/teams/:id': {},
  'POST /v1/teams/:id/members': { email: 'a@example.com', role: 'viewer' },
  'PATCH /v1/teams/:id/members/:userId': { role: 'viewer' },
  'POST /v1/invitations/accept': LINK,
  'POST /api/v1/api-keys': { name: 'x' },
  'POST /api/v1/api-keys/:id/rotate': {},
  'POST /api/v1/auth/login': LINK,
  'POST /api/v1/auth/device': {},
  'POST /api/v1/auth/device/token': { deviceCode: `mill_dc_${'x'.repeat(43)}` },
  'POST /api/v1/auth/oidc/start': {},
  'POST /api/v1/auth/forgot-password': LINK,
  'POST /api/v1/auth/link': LINK,
  'POST /api/v1/auth/setup': LINK,
  'POST /api/v1/auth/sign-up': LINK,
  'POST /api/v1/auth/password-reset': LINK,
  'POST /api/v1/auth/sign-in-link': LINK,
  'POST /api/v1/execute': { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 5 },
  'PUT /api/v1/history/:id': {
    run: { feature: 'x', status: 'complete', startedAt: '2026-01-01T00:00:00Z' },
    streams: [],
  },
  'POST /api/v1/runs/:id/events': {
    name: 'x',
    events: [],
    summary: { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: true },
  },
  'POST /v1/stream-tokens': {
    runId: 'run_x',
    streamId: 'a',
    attempt: 1,
    fence: 1,
    models: ['sim-instant'],
  },
  'PUT /v1/runs/:id/caps': { maxCostUsd: 1 },
  'POST /api/v1/keys': { provider: 'openai', key: 'sk-0123456789', tosAccepted: true },
  'POST /v1/billing/subscription': { tier: 'pro' },
  'POST /v1/billing/portal': {},
  'POST /v1/executions': { task: 'x' },
  'POST /v1/approvals': {
    kind: 'plan',
    runId: 'run_x',
    title: 'x',
    detail: 'x',
    format: 'text',
    hash: SEEN,
  },
  'POST /v1/approvals/:id/resolve': { decision: 'deny', hash: SEEN },
  'PUT /v1/approvals/:id/review/files': { files: [reviewFile('a.ts')] },
  'PUT /v1/approvals/:id/review/outcome': { kind: 'applied' },
  'POST /v1/run-requests': { project: 'shop', task: 'x' },
  'PUT /v1/run-requests/:id/progress': { fence: 1 },
  'PUT /v1/run-requests/:id/end': { fence: 1, status: 'completed', outcome: {} },
  'PUT /v1/run-requests/:id/release': { fence: 1 },
  'POST /v1/runners': runnerBody(),
  'POST /v1/runners/:id/poll': { session: 1, free: 0 },
  'PATCH /v1/runners/:id': { draining: true },
  'PATCH /v1/projects/:name': { maxRunning: 1 },
  'POST /v1/schedules': { name: 'x', everySeconds: 60, work: { project: 'shop', task: 'x' } },
  'PATCH /v1/schedules/:id': { name: 'x' },
  'POST /v1/triggers': { name: 'x', kind: 'url', work: { project: 'shop', task: 'x' } },
  'PATCH /v1/triggers/:id': { name: 'x' },
  'POST /v1/triggers/:id/rotate': {},
  'POST /v1/triggers/:id/test': {},
  'POST /v1/webhooks': { url: 'https://example.com/hook', events: ['*'] },
  'PATCH /v1/webhooks/:id': { status: 'paused' },
};

/** What is no id of its kind is refused without a look. */
function idIn(path: string): string {
  const types: Record<string, string> = {
    'run-requests': 'rreq',
    schedules: 'sch',
    triggers: 'trg',
  };
  const type = types[path.split('/')[2] ?? ''] ?? 'run';
  return `${type}_01jcq8z5e0e5v8r3m6k1t2w9xh`;
}

it('every route says within seconds that the database is silent, and works again afterwards', async () => {
  verifies('http.error.unavailable-retry-after', 'http.error.unavailable-soon');
  const { key } = await server.createKey({ scopes: ['admin'] });
  const jobId = await server.submit(key);
  expect((await server.call('GET', '/api/v1/history', { key })).status).toBe(200);

  const ids: Partial<Record<string, string>> = {
    job: jobId,
    approval: 'apr_01jcq8z5e0e5v8r3m6k1t2w9xh',
    'api-key': 'key_01jcq8z5e0e5v8r3m6k1t2w9xh',
    team: 'team_01jcq8z5e0e5v8r3m6k1t2w9xh',
  };
  proxy.silence();
  await Promise.all(
    // Those for people are refused to a key, which is remembered.
    ROUTES.filter(
      ({ path, kind }) => !['person', 'model'].includes(kind) && needsDatabase(path),
    ).map(async (route) => {
      const path = route.path
        .replace(':id', ids[route.kind] ?? idIn(route.path))
        .replace(':name', 'shop')
        .replace(':triggerId', 'trg_01jcq8z5e0e5v8r3m6k1t2w9xh')
        .replace(':userId', 'user_x')
        .replace(':deliveryId', 'del_x')
        .replace(':provider', 'openai');
      const startedAt = performance.now();
      const answer = await server.call(route.method, path, { key, body: BODIES[nameOf(route)] });
      const seconds = (performance.now() - startedAt) / 1000;
      expectError(answer, 'SERVICE_UNAVAILABLE');
      expect(Number(answer.headers.get('retry-after')), nameOf(route)).toBeGreaterThan(0);
      // Promised are 6; a slow machine gets more. Without a limit it would wait for the database.
      expect(seconds, nameOf(route)).toBeLessThan(40);
    }),
  );
  expect((await server.call('GET', '/healthz')).status).toBe(200);
  expectError(await server.call('GET', '/api/v1/history', { key }), 'SERVICE_UNAVAILABLE');

  proxy.restore();
  await waitUntil(async () => (await server.call('GET', '/readyz')).status === 200);
  expect((await server.call('GET', '/api/v1/history', { key })).status).toBe(200);
  expect(await server.submit(key)).toMatch(/^job_/);
});
