// Every route, for every role, with every kind of credential, in the own team and in another. The routes
// come from the table that the server itself uses: one that is added is tested here from then on.
import { beforeAll, expect, it } from 'vitest';
import { PERMISSIONS, ROLES, SCOPES } from '../../src/contract/permissions.ts';
import type { Action, Role } from '../../src/contract/permissions.ts';
import { ROUTE_ACCESS, accessOf } from '../../src/http/route-access.ts';
import type { RouteAccess } from '../../src/http/route-access.ts';
import { useServer } from '../support/use-server.ts';
import { BELIEVES_TESTS, deviceToken, newPerson, joinTeam } from './people.ts';
import type { Person } from './people.ts';

// Jobs stay in the queue: nothing runs here.
const server = useServer({ role: 'api', ...BELIEVES_TESTS });

const CREDENTIALS = ['session', 'device', 'key', 'team key'] as const;
type CredentialName = (typeof CREDENTIALS)[number];
type Headers = Record<string, string>;

interface Actor {
  person: Person;
  device: string;
  key: string;
  teamKey: string;
}

const PROTECTED = Object.entries(ROUTE_ACCESS).flatMap(([route, access]) =>
  access === 'public' ? [] : [{ route, access }],
);

/** What a role must allow in the team that the path names. */
const NAMED_TEAM: Readonly<Record<string, Action>> = {
  'GET /v1/teams/:id': 'read',
  'PATCH /v1/teams/:id': 'manage',
  'DELETE /v1/teams/:id': 'bill',
  'GET /v1/teams/:id/export': 'manage',
  'GET /v1/teams/:id/members': 'read',
  'POST /v1/teams/:id/members': 'manage',
  'PATCH /v1/teams/:id/members/:userId': 'manage',
  'DELETE /v1/teams/:id/members/:userId': 'manage',
  'GET /v1/teams/:id/api-keys': 'bill',
  'DELETE /v1/teams/:id/api-keys/:keyId': 'bill',
};

/** For those who manage the server, whom none of these are. */
const OF_SERVER = new Set(
  Object.keys(ROUTE_ACCESS).filter((route) => route.includes(' /api/v1/admin/')),
);
/** They end the credential that the others use. */
const ENDS_SESSIONS = new Set(['POST /api/v1/auth/logout', 'DELETE /api/v1/auth/sessions']);
/** A key for one team makes and joins no others. */
const BEYOND_TEAM = new Set(['POST /v1/teams', 'POST /v1/invitations/accept']);

const NOBODY = 'user_01jcq8z5e0e5v8r3m6k1t2w9xh';

/** Those that are looked at before the role is; any other body would do. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /v1/teams': { name: 'another' },
  // Refused after the role was looked at.
  'POST /v1/billing/subscription': { tier: 'enterprise' },
  'PATCH /v1/teams/:id': {},
  'POST /v1/teams/:id/members': { userId: NOBODY, role: 'viewer' },
  'PATCH /v1/teams/:id/members/:userId': { role: 'viewer' },
  'POST /v1/invitations/accept': { token: 'x' },
  'POST /api/v1/admin/password-resets': { email: 'a@example.com' },
  'POST /api/v1/auth/device/lookup': { userCode: 'BCDF-GHJK' },
  'POST /api/v1/auth/device/decision': { userCode: 'BCDF-GHJK', approve: false },
};

let team: string;
const actors = {} as Record<Role, Actor>;
let stranger: Person;
let strangerKey: string;
let strangerDevice: string;
/** What belongs to the team, by the word in the path that comes before its id. */
let own: Record<string, string>;

/** Ids that look right and name nothing, so that who may is asked and nothing happens. */
const NOTHING: Record<string, string> = Object.fromEntries(
  ['job', 'exec', 'wh', 'apr', 'key', 'ses'].map((type) => [
    type,
    `${type}_01jcq8z5e0e5v8r3m6k1t2w9xh`,
  ]),
);

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/teams\//, 'team'],
  [/^\/api\/v1\/job\//, 'job'],
  [/^\/v1\/executions\//, 'exec'],
  [/^\/v1\/webhooks\//, 'wh'],
  [/^\/v1\/approvals\//, 'apr'],
  [/^\/v1\/schedules\//, 'sch'],
  [/^\/v1\/triggers\//, 'trg'],
  [/^\/v1\/run-requests\//, 'rreq'],
  [/^\/v1\/runners\//, 'rnr'],
  [/^\/api\/v1\/api-keys\//, 'key'],
  [/^\/api\/v1\/auth\/sessions\//, 'ses'],
  [/^\/api\/v1\/(?:history|runs)\//, 'run'],
];

function pathOf(route: string, ids: Record<string, string>): string {
  const [, path = ''] = route.split(' ');
  const type = TYPES.find(([pattern]) => pattern.test(path))?.[1] ?? '';
  return path
    .replace(':id', ids[type] ?? 'nothing')
    .replace(':deliveryId', 'del_01jcq8z5e0e5v8r3m6k1t2w9xh')
    .replace(':userId', NOBODY)
    .replace(':provider', 'openai');
}

async function send(route: string, ids: Record<string, string>, headers: Headers) {
  const [method = ''] = route.split(' ');
  const body = BODIES[route] ?? (method === 'GET' || method === 'DELETE' ? undefined : {});
  const { status } = await server().call(method, pathOf(route, ids), {
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return status;
}

const session = ({ cookie = '', address }: Person): Headers => ({
  cookie,
  'x-forwarded-for': address,
  'sec-fetch-site': 'same-origin',
});

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

function headersOf(actor: Actor, credential: CredentialName): Headers {
  const headers: Record<CredentialName, Headers> = {
    session: { ...session(actor.person), 'x-team-id': team },
    device: { ...bearer(actor.device), 'x-team-id': team },
    key: { 'x-api-key': actor.key, 'x-team-id': team },
    'team key': { 'x-api-key': actor.teamKey },
  };
  return headers[credential];
}

async function makeKey(person: Person, teamId?: string): Promise<string> {
  const made = await person.call('POST', '/api/v1/api-keys', { name: 'x', teamId, scopes: SCOPES });
  return made.body['key'] as string;
}

beforeAll(async () => {
  for (const role of ROLES) {
    const person = await newPerson(server());
    if (role === 'owner') {
      team = (await person.call('POST', '/v1/teams', { name: 'matrix' })).body['id'] as string;
    } else {
      await joinTeam(server(), { teamId: team, userId: person.userId, role });
    }
    const [key, teamKey] = [await makeKey(person), await makeKey(person, team)];
    const device = await deviceToken(server(), person);
    actors[role] = { person, device, key, teamKey };
  }
  stranger = await newPerson(server());
  strangerKey = await makeKey(stranger);
  strangerDevice = await deviceToken(server(), stranger);
  const call = async (path: string, body: unknown) => {
    const headers = { 'x-api-key': actors.owner.teamKey };
    return (await server().call('POST', path, { body, headers })).body as Record<string, string>;
  };
  const job = {
    streamId: 's',
    prompt: 'x',
    model: 'sim-instant',
    maxTokens: 9,
    runId: 'matrix-run',
  };
  own = {
    team,
    job: (await call('/api/v1/execute', job))['jobId']!,
    run: 'matrix-run',
    exec: (await call('/v1/executions', { task: 'x', model: 'sim-instant' }))['id']!,
    wh: (await call('/v1/webhooks', { url: 'https://hooks.invalid/', events: ['*'] }))['id']!,
  };
});

function mayPass(route: string, access: RouteAccess, role: Role, credential: CredentialName) {
  if (OF_SERVER.has(route)) return false;
  // Only with the token of a run request.
  if (access.credential === 'request') return false;
  if (access.credential === 'session') return credential === 'session';
  // A cookie is not even read.
  if (access.credential === 'header' && credential === 'session') return false;
  if (access.credential === 'person') return credential === 'session' || credential === 'device';
  if (credential === 'team key' && BEYOND_TEAM.has(route)) return false;
  const action = NAMED_TEAM[route] ?? access.action;
  return action === 'own' || PERMISSIONS[role].includes(action);
}

it('a route that is not in the table of the server cannot be added', () => {
  expect(() => accessOf('GET', '/api/v1/unknown')).toThrow(/not in the table/);
});

it('the table names the action of every route about a named team', () => {
  const named = PROTECTED.map(({ route }) => route).filter((route) =>
    route.includes(' /v1/teams/:id'),
  );
  expect(named.sort()).toEqual(Object.keys(NAMED_TEAM).sort());
});

it.each(ROLES)(
  'in the team, the role %s opens what the tables say, with any credential',
  async (role) => {
    const wrong: string[] = [];
    for (const credential of CREDENTIALS) {
      const headers = headersOf(actors[role], credential);
      const tried = PROTECTED.map(async ({ route, access }) => {
        // The tests of sessions are about these.
        if (ENDS_SESSIONS.has(route) && mayPass(route, access, role, credential)) return;
        const status = await send(route, { ...NOTHING, team }, headers);
        const passed = status !== 401 && status !== 403;
        const expected = mayPass(route, access, role, credential);
        if (passed !== expected || status >= 500) wrong.push(`${credential} ${route}: ${status}`);
      });
      await Promise.all(tried);
    }
    expect(wrong).toEqual([]);
  },
);

it('acting elsewhere, a viewer reads what is the team’s and changes none of it; others get nothing', async () => {
  const wrong: string[] = [];
  const { person, device, key } = actors.viewer;
  const callers: [string, Headers, boolean][] = [
    ['viewer by session', session(person), true],
    ['viewer by device', bearer(device), true],
    ['viewer by key', { 'x-api-key': key }, true],
    ['stranger by session', session(stranger), false],
    ['stranger by device', bearer(strangerDevice), false],
    ['stranger by key', { 'x-api-key': strangerKey }, false],
  ];
  const named = PROTECTED.filter(({ route }) => {
    const [, path = ''] = route.split(' ');
    const type = TYPES.find(([pattern]) => pattern.test(path))?.[1];
    // Streams end with their job, which nobody runs; recording a run needs a body that is whole.
    const isOther = path.endsWith('/events') || route.startsWith('PUT ');
    return type !== undefined && type in own && path.includes(':') && !isOther;
  });
  expect(named.length).toBeGreaterThan(15);
  for (const [name, headers, isViewer] of callers) {
    for (const { route } of named) {
      const status = await send(route, own, headers);
      const isRead = route.startsWith('GET ') && (NAMED_TEAM[route] ?? 'read') === 'read';
      const reads = isViewer && isRead;
      if (reads ? status !== 200 : status !== 403) wrong.push(`${name} ${route}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('a key for one team sees nothing of the other teams of its owner', async () => {
  const { person, key, teamKey } = actors.owner;
  const jobId = await server().submit(key);
  const paths = [
    `/api/v1/job/${jobId}`,
    `/v1/teams/${person.teamId}`,
    `/api/v1/history?organizationId=${person.teamId}`,
  ];
  for (const path of paths) {
    expect((await server().call('GET', path, { key })).status, path).toBe(200);
    expect((await server().call('GET', path, { key: teamKey })).status, path).toBe(403);
  }
});

it('nobody gets anywhere by naming a team that is not theirs, or without a credential', async () => {
  const wrong: string[] = [];
  const other = { 'x-team-id': stranger.teamId };
  const mine = { 'x-team-id': team };
  const callers: [string, Headers, number][] = [
    ['stranger by session', { ...session(stranger), ...mine }, 403],
    ['stranger by device', { ...bearer(strangerDevice), ...mine }, 403],
    ['stranger by key', { 'x-api-key': strangerKey, ...mine }, 403],
    ['owner by session', { ...session(actors.owner.person), ...other }, 403],
    ['owner by device', { ...bearer(actors.owner.device), ...other }, 403],
    ['owner by team key', { 'x-api-key': actors.owner.teamKey, ...other }, 403],
    ['nobody', {}, 401],
    ['an unknown session', { ...session(stranger), cookie: 'millrace_session=x' }, 401],
  ];
  for (const [name, headers, expected] of callers) {
    const tried = PROTECTED.map(async ({ route, access }) => {
      const status = await send(route, own, headers);
      const isUnread = access.credential === 'header' && 'cookie' in headers;
      if (status !== (isUnread ? 401 : expected)) wrong.push(`${name} ${route}: ${status}`);
    });
    await Promise.all(tried);
  }
  expect(wrong).toEqual([]);
});
