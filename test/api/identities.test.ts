import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { newApiKey } from '../../src/platform/api-key.ts';
import { createApiKeyService } from '../../src/services/accounts/api-keys.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { runnerBody } from '../runners/fake-runner.ts';
import { reviewBody, reviewFile } from '../approvals/review-files.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { ROUTES, describedRoutes, nameOf, readApiDocument, routesInSource } from './route-table.ts';
import type { Route, RouteKind } from './route-table.ts';
import { joinTeam } from '../accounts/people.ts';

// Stands in everything the owner sends and gets, and in no answer to anybody else.
const CANARY = 'canary-7f3a9c';

const IDENTITIES = [
  'none',
  'malformed',
  'unknown',
  'revoked',
  'expired',
  'another user',
  'wrong scope',
  'suspended',
  'own',
] as const;
type IdentityName = (typeof IDENTITIES)[number];

type Expected = { status: number; code?: string } | 'ok';

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' };
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' };

const PROTECTED: Record<IdentityName, Expected> = {
  none: UNAUTHORIZED,
  malformed: UNAUTHORIZED,
  unknown: UNAUTHORIZED,
  revoked: UNAUTHORIZED,
  expired: UNAUTHORIZED,
  'another user': FORBIDDEN,
  'wrong scope': FORBIDDEN,
  suspended: { status: 403, code: 'ACCOUNT_SUSPENDED' },
  own: 'ok',
};

const EXPECTED: Record<RouteKind, (identity: IdentityName) => Expected> = {
  public: () => 'ok',
  // There is no such address, whoever asks.
  model: () => 'ok',
  submit: (identity) => (identity === 'another user' ? 'ok' : PROTECTED[identity]),
  job: (identity) => PROTECTED[identity],
  run: (identity) => PROTECTED[identity],
  report: (identity) => PROTECTED[identity],
  list: (identity) => PROTECTED[identity],
  webhook: (identity) => PROTECTED[identity],
  execution: (identity) => PROTECTED[identity],
  approval: (identity) => PROTECTED[identity],
  mine: (identity) => (identity === 'another user' ? 'ok' : PROTECTED[identity]),
  caller: (identity) => (PROTECTED[identity] === FORBIDDEN ? 'ok' : PROTECTED[identity]),
  person: (identity) => (PROTECTED[identity] === 'ok' ? FORBIDDEN : PROTECTED[identity]),
  entry: () => 'ok',
  'api-key': (identity) => PROTECTED[identity],
  team: (identity) => PROTECTED[identity],
  tools: (identity) => (PROTECTED[identity] === FORBIDDEN ? 'ok' : PROTECTED[identity]),
};

let server: TestServer;
let second: TestServer;
let jobId: string;
let teamId: string;
let webhookId: string;
let apiKeyId: string;
let sharedTeamId: string;
let memberId: string;
let executionId: string;
let approvalId: string;
let deliveryId: string;
const keys = {} as Record<IdentityName, string | undefined>;

function keyService() {
  const signals = createSignals({ originId: 'sig_test', db: server.db, onError: () => undefined });
  const service = createApiKeyService({ db: server.db, signals, defaultTier: 'enterprise' });
  return { service, signals };
}

async function revoke(keyId: string): Promise<void> {
  const { service, signals } = keyService();
  await service.revoke(keyId);
  await signals.flush();
}

beforeAll(async () => {
  // Nothing listens there: keys are stored without anybody being asked.
  server = await startTestServer({ baseUrls: { anthropic: 'http://127.0.0.1:1/v1' } });
  second = await startTestServer({ role: 'api' }, server.databaseUrl);
  const email = 'owner@example.com';
  const own = await server.createKey({ email, scopes: [...SCOPES] });
  const revoked = await server.createKey({ email });
  const expired = await server.createKey({ email, expiresInDays: 1 });
  const suspended = await server.createKey({ email: 'suspended@example.com' });
  apiKeyId = (await server.createKey({ email })).id;
  const team = await server.call('POST', '/v1/teams', { key: own.key, body: { name: 'shared' } });
  sharedTeamId = team.body['id'] as string;
  memberId = await server.userId((await server.createKey()).email);
  await joinTeam(server, { teamId: sharedTeamId, userId: memberId, role: 'viewer' });
  // Every scope opens something: a key that none of them fits has none.
  const scopeless = await server.createKey({ email, scopes: ['billing'] });
  await server.db.query(`update api_keys set scopes = '{}' where id = $1`, [scopeless.id]);
  Object.assign(keys, {
    none: undefined,
    malformed: own.key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    unknown: newApiKey(),
    revoked: revoked.key,
    expired: expired.key,
    'another user': (await server.createKey({ scopes: [...SCOPES] })).key,
    'wrong scope': scopeless.key,
    suspended: suspended.key,
    own: own.key,
  });
  await revoke(revoked.id);
  await server.db.query(`update api_keys set expires_at = now() - interval '1 s' where id = $1`, [
    expired.id,
  ]);
  await server.db.query(`update users set suspended_at = now() where email = $1`, [
    suspended.email,
  ]);
  const { rows } = await server.db.query<{ id: string }>(
    `select t.id from teams t join users u on u.id = t.personal_user_id where u.email = $1`,
    [email],
  );
  teamId = rows[0]!.id;
  jobId = await server.submit(own.key, {
    prompt: `[[sim:echo ${CANARY}]]`,
    runId: 'owned-run',
    feature: CANARY,
    streamName: CANARY,
  });
  await server.finished(own.key, jobId);
  const recorded = await server.call('PUT', '/api/v1/history/recorded-run', {
    key: own.key,
    body: recordBody(),
  });
  expect(recorded.status).toBe(201);
  const reported = await server.call('POST', '/api/v1/runs/recorded-run/events', {
    key: own.key,
    body: reportBody(),
  });
  expect(reported.status).toBe(200);
  const webhook = await server.call('POST', '/v1/webhooks', { key: own.key, body: webhookBody() });
  webhookId = webhook.body['id'] as string;
  const execution = await server.call('POST', '/v1/executions', {
    key: own.key,
    body: { task: CANARY, model: 'sim-instant', options: { dryRun: true } },
  });
  executionId = execution.body['id'] as string;
  await waitUntil(async () => {
    const { body } = await server.call('GET', `/v1/executions/${executionId}`, { key: own.key });
    return body['status'] === 'completed';
  }, 'the end of the dry run');
  const approval = await server.call('POST', '/v1/approvals', {
    key: own.key,
    body: { ...approvalBody(CANARY), kind: 'changes', review: reviewBody() },
  });
  approvalId = approval.body['id'] as string;
  const sent = await server.call('POST', `/v1/webhooks/${webhookId}/test`, { key: own.key });
  deliveryId = sent.body['deliveryId'] as string;
});

afterAll(async () => {
  await second?.close();
  await server?.close();
});

function recordBody() {
  return {
    run: { feature: CANARY, status: 'complete', startedAt: '2026-01-01T00:00:00Z' },
    streams: [{ streamId: 'api', name: CANARY, status: 'complete' }],
  };
}

function reportBody() {
  const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: true };
  return { name: CANARY, events: [], summary };
}

const SEEN = 'a'.repeat(64);

function approvalBody(title: string) {
  const shown = { title, detail: title, format: 'text', hash: SEEN };
  return { kind: 'plan', runId: 'recorded-run', ...shown };
}

const RUNNER_BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/run-requests': { project: 'elsewhere', task: 'x' },
  'POST /v1/run-requests/:id/cancel': undefined,
  'PUT /v1/run-requests/:id/progress': { fence: 1 },
  'PUT /v1/run-requests/:id/end': { fence: 1, status: 'completed', outcome: {} },
  'PUT /v1/run-requests/:id/release': { fence: 1 },
  'POST /v1/runners': runnerBody(),
  'POST /v1/runners/:id/poll': { session: 1, free: 0 },
  'PATCH /v1/runners/:id': { draining: true },
  'PATCH /v1/projects/:name': { maxRunning: 1 },
  'POST /v1/schedules': { name: 'x', everySeconds: 3600, work: { project: 'shop', task: 'x' } },
  'PATCH /v1/schedules/:id': { name: 'y' },
  'POST /v1/triggers': { name: 'x', kind: 'url', work: { project: 'shop', task: 'x' } },
  'PATCH /v1/triggers/:id': { name: 'y' },
  'POST /v1/triggers/:id/rotate': {},
  'POST /v1/triggers/:id/test': {},
};

const RUNNER_TYPES: Readonly<Record<string, string>> = {
  'run-requests': 'rreq',
  runners: 'rnr',
  projects: 'prj',
  schedules: 'sch',
  triggers: 'trg',
};

function runnerRequest({ method, path }: Route) {
  const type = RUNNER_TYPES[path.split('/')[2] ?? ''];
  if (type === undefined) return undefined;
  const body = RUNNER_BODIES[`${method} ${path}`];
  const named = path.replace(':id', `${type}_01jcq8z5e0e5v8r3m6k1t2w9xh`).replace(':name', 'shop');
  return { path: named, ...(body === undefined ? {} : { body }) };
}

/** An address that leads nowhere, by the rules for names. */
function webhookBody() {
  return { url: 'https://hooks.invalid/', events: ['*'], description: CANARY };
}

/** The owner's own resource on every route that has one. */
function requestFor(route: Route): { path: string; body?: unknown } {
  switch (route.kind) {
    case 'public':
    case 'caller':
    case 'entry':
    case 'tools':
    case 'model':
      return { path: route.path };
    case 'person': {
      const { path } = route;
      return path.includes('/admin/') && route.method !== 'GET'
        ? { path, body: { email: 'owner@example.com' } }
        : { path };
    }
    case 'submit': {
      // Under one id: each caller gets a run of their own.
      const runId = 'sent-run';
      const path = route.path.replace(':id', runId);
      if (path.endsWith('/events')) return { path, body: reportBody() };
      const body = { streamId: 's', prompt: 'x', model: 'sim-instant', maxTokens: 9, runId };
      return { path, body };
    }
    case 'job':
      return { path: route.path.replace(':id', jobId) };
    case 'list':
      return { path: `${route.path}?organizationId=${teamId}` };
    case 'run': {
      const path = route.path.replace(':id', 'recorded-run');
      return route.method === 'PUT' ? { path, body: recordBody() } : { path };
    }
    case 'report': {
      return { path: route.path.replace(':id', 'recorded-run').replace(':shareId', 'shr_x') };
    }
    case 'execution':
      return { path: route.path.replace(':id', executionId) };
    case 'approval': {
      const path = route.path.replace(':id', approvalId);
      if (path.endsWith('/resolve')) return { path, body: { decision: 'approve', hash: SEEN } };
      if (path.endsWith('/draft')) return { path, body: { viewed: { [CANARY]: true } } };
      if (path.endsWith('/outcome')) return { path, body: { kind: 'applied', text: CANARY } };
      const isFiles = route.method === 'PUT';
      return isFiles ? { path, body: { files: [reviewFile(CANARY)] } } : { path };
    }
    case 'webhook': {
      const path = route.path.replace(':id', webhookId).replace(':deliveryId', deliveryId);
      return route.method === 'PATCH' ? { path, body: { description: CANARY } } : { path };
    }
    case 'api-key': {
      const path = route.path.replace(':id', apiKeyId);
      return route.method === 'POST' ? { path, body: {} } : { path };
    }
    case 'team': {
      const path = route.path.replace(':id', sharedTeamId).replace(':userId', memberId);
      if (route.method === 'PATCH') {
        return { path, body: path.endsWith(sharedTeamId) ? { name: 'ours' } : { role: 'member' } };
      }
      const body = { email: 'invited@example.com', role: 'viewer' };
      return route.method === 'POST' ? { path, body } : { path };
    }
    case 'mine': {
      if (/^\/v1\/(?:stream-tokens|runs)\b/.test(route.path)) {
        const path = route.path.replace(':id', 'a-run');
        if (route.path === '/v1/stream-tokens') {
          const of = { runId: 'a-run', streamId: 'api', attempt: 1, fence: 1 };
          return { path, body: { ...of, models: ['sim-instant'] } };
        }
        return route.method === 'PUT' ? { path, body: { maxCostUsd: 1 } } : { path };
      }
      if (/\/(?:api-keys|teams|accept)$/.test(route.path)) {
        const { path } = route;
        return route.method === 'POST' ? { path, body: { name: 'another', token: 'x' } } : { path };
      }
      if (route.path === '/v1/approvals') {
        const { path } = route;
        return route.method === 'POST' ? { path, body: approvalBody('x') } : { path };
      }
      const ofRunners = runnerRequest(route);
      if (ofRunners !== undefined) return ofRunners;
      if (route.path === '/v1/executions') {
        const { path } = route;
        const body = { task: 'x', model: 'sim-instant', options: { dryRun: true } };
        return route.method === 'POST' ? { path, body } : { path };
      }
      if (route.path.startsWith('/v1/billing/')) {
        const { path } = route;
        return route.method === 'POST' ? { path, body: { tier: 'pro' } } : { path };
      }
      if (route.path === '/v1/webhooks') {
        const { path } = route;
        // Without the canary: the answer repeats what its own sender said.
        const { description: _, ...body } = webhookBody();
        return route.method === 'POST' ? { path, body } : { path };
      }
      if (route.path.includes(':')) return { path: route.path.replace(':provider', 'anthropic') };
      const body = { provider: 'anthropic', key: CANARY, tosAccepted: true };
      return route.method === 'POST' ? { path: route.path, body } : { path: route.path };
    }
  }
}

async function send(base: string, route: Route, key: string | undefined) {
  const { path, body } = requestFor(route);
  const response = await fetch(base + path, {
    method: route.method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, text, headers, whole: text + JSON.stringify([...headers]) };
}

it('expects something of every route', async () => {
  const table = ROUTES.map(nameOf).sort();
  expect(routesInSource().sort()).toEqual(table);
  expect(table).toEqual(expect.arrayContaining(describedRoutes(await readApiDocument(server.url))));
});

/** The same for everybody, and nobody's secret. */
const PUBLIC_FILES = /^GET \/(?:docs|llms|schemas|favicon|assets|openapi)/;

describe.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
  it.each(IDENTITIES)('answers the identity "%s" as it must', async (identity) => {
    verifies('auth.missing', 'auth.invalid', 'auth.expired', 'auth.forbidden', 'auth.suspended');
    const answer = await send(server.url, route, keys[identity]);
    const expected = EXPECTED[route.kind](identity);
    if (expected === 'ok') {
      expect(answer.status).toBe(route.ok);
    } else {
      expect(answer.status).toBe(expected.status);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: expected.code } });
    }
    if (identity !== 'own') expect(answer.whole).not.toContain(CANARY);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    if (!PUBLIC_FILES.test(nameOf(route))) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });
});

it("shows the owner's data to the owner, so that its absence elsewhere means something", async () => {
  const shown = ROUTES.filter(
    ({ kind, path, method }) =>
      kind === 'list' || kind === 'run' || (kind === 'job' && method === 'GET' && path !== ''),
  );
  for (const route of shown) {
    expect((await send(server.url, route, keys.own)).text, nameOf(route)).toContain(CANARY);
  }
});

it('tells a stranger 403 about what exists and 404 about what does not', async () => {
  verifies('auth.foreign-resource', 'history.put.foreign');
  const stranger = keys['another user']!;
  const missing = 'job_01jcq8z5e0e5v8r3m6k1t2w9xh';
  for (const path of [`/api/v1/job/${missing}`, '/api/v1/history/no-such-run']) {
    const answer = await server.call('GET', path, { key: stranger });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: { code: 'NOT_FOUND' } });
  }
});

it('lists nothing of another user', async () => {
  verifies('history.list.own');
  // Not the one above, who has made executions of their own.
  const { key } = await server.createKey();
  const answer = await server.call('GET', '/api/v1/history', { key });
  expect(answer).toMatchObject({ status: 200, body: { items: [], total: 0 } });
});

it('asks for the scope of each surface', async () => {
  const jobs = await server.createKey({ email: 'owner@example.com', scopes: ['jobs'] });
  const history = await server.createKey({ email: 'owner@example.com', scopes: ['history'] });
  const provider = await server.createKey({ email: 'owner@example.com', scopes: ['keys'] });
  const admin = await server.createKey({ email: 'owner@example.com', scopes: ['admin'] });
  const paths = [`/api/v1/job/${jobId}`, '/api/v1/history/owned-run', '/api/v1/keys'] as const;
  const statuses = async (key: string) =>
    Promise.all(paths.map(async (path) => (await server.call('GET', path, { key })).status));
  expect(await statuses(jobs.key)).toEqual([200, 403, 403]);
  expect(await statuses(history.key)).toEqual([403, 200, 403]);
  expect(await statuses(provider.key)).toEqual([403, 403, 200]);
  expect(await statuses(admin.key)).toEqual([200, 200, 200]);
});

async function statusOnSecond(key: string): Promise<number> {
  return (await second.call('GET', '/api/v1/history', { key })).status;
}

it('makes a revoked key stop working on every node', async () => {
  verifies('auth.invalid');
  const { key, id } = await server.createKey();
  expect(await statusOnSecond(key)).toBe(200);
  await revoke(id);
  await waitUntil(async () => (await statusOnSecond(key)) === 401, 'the second node to refuse');
  expect((await server.call('GET', '/api/v1/history', { key })).status).toBe(401);
});

it('notices a revoked key and a suspended account even when no signal arrives', async () => {
  const revoked = await server.createKey();
  const suspended = await server.createKey();
  expect(await statusOnSecond(revoked.key)).toBe(200);
  expect(await statusOnSecond(suspended.key)).toBe(200);
  await server.db.query('update api_keys set revoked_at = now() where id = $1', [revoked.id]);
  await server.db.query('update users set suspended_at = now() where email = $1', [
    suspended.email,
  ]);
  await waitUntil(async () => (await statusOnSecond(revoked.key)) === 401, 'a 401');
  await waitUntil(async () => (await statusOnSecond(suspended.key)) === 403, 'a 403');
});

it('writes no key to the log', () => {
  for (const key of Object.values(keys)) {
    if (key !== undefined) expect(server.logs() + second.logs()).not.toContain(key);
  }
});
