import { describe, expect, it } from 'vitest';
import { createOwner } from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { REPOSITORY, githubLabelled, githubPush } from './payloads.ts';
import { GITHUB, URL_, call, createTrigger, findTrigger, sendGithub } from './triggers.ts';

const server = useServer({ role: 'api' });
const newOwner = () => createOwner(server());

function post(owner: Owner, body: object, headers: Record<string, string> = {}) {
  return server().call('POST', '/v1/triggers', { key: owner.key, body, headers });
}

describe('creating a trigger', () => {
  it('answers 201 with its URL and its secret, which no other answer shows', async () => {
    verifies('triggers.routes');
    const owner = await newOwner();
    const { secret, ...made } = await createTrigger(owner);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^trg_[0-9a-z]{26}$/),
      kind: 'github',
      url: `${server().url}/v1/hooks/${made.id}`,
      repository: REPOSITORY,
      filters: {},
      overlap: 'queue',
      pauseAfterFailures: 5,
      status: 'active',
      owner: { userId: owner.userId },
      lastDelivery: null,
      refused: { count: 0, lastAt: null },
    });
    expect(await findTrigger(owner, made.id)).toEqual(made);
    const list = await server().call('GET', '/v1/triggers', { key: owner.key });
    expect(list.body).toEqual({ items: [made] });
    const { rows } = await server().db.query('select * from trigger_secrets');
    expect(JSON.stringify(rows) + server().logs()).not.toContain(secret.slice(8));
  });

  it.each([
    ['no repository', { ...GITHUB, repository: undefined }, 'repository'],
    ['a repository that is none', { ...GITHUB, repository: 'shop; rm' }, 'repository'],
    ['three parts for GitHub', { ...GITHUB, repository: 'a/b/c' }, 'repository'],
    ['no events', { ...GITHUB, events: undefined }, 'events'],
    ['an unknown event', { ...GITHUB, events: ['star'] }, 'events.0'],
    ['a review on GitLab', { ...GITHUB, kind: 'gitlab' }, 'events'],
    ['events for a URL', { ...URL_, events: ['push'] }, 'events'],
    ['a repository for a URL', { ...URL_, repository: REPOSITORY }, 'repository'],
    ['filters for a URL', { ...URL_, filters: { labels: ['x'] } }, 'filters'],
    ['an unknown filter', { ...GITHUB, filters: { colour: ['x'] } }, 'filters'],
    [
      'a command that is none',
      { ...GITHUB, filters: { commands: ['Fix it'] } },
      'filters.commands.0',
    ],
    [
      'an unknown name in the task',
      { ...GITHUB, work: { project: 'shop', task: '{{issue.x}}' } },
      'work.task',
    ],
    [
      'a branch outside of millrace/',
      { ...GITHUB, work: { ...GITHUB.work, branch: 'main' } },
      'work.branch',
    ],
    [
      'a branch that git refuses',
      { ...GITHUB, work: { ...GITHUB.work, branch: 'millrace/a..b' } },
      'work.branch',
    ],
    ['neither task nor manifest', { ...GITHUB, work: { project: 'shop' } }, 'work.manifest'],
    [
      'a run of before',
      { ...GITHUB, work: { project: 'shop', run: { id: 'x', action: 'fix' } } },
      'work',
    ],
    ['a lone surrogate', { ...GITHUB, work: { project: 'shop', task: '\ud800' } }, 'work.task'],
    ['an escape sequence in its name', { ...GITHUB, name: '\u001b[2J' }, 'name'],
  ])('refuses %s', async (_name, body, path) => {
    verifies('triggers.routes', 'triggers.template', 'triggers.branch');
    expectInvalid(await post(await newOwner(), body), path);
  });

  it('with the same Idempotency-Key happens once', async () => {
    const owner = await newOwner();
    const headers = { 'idempotency-key': 'once' };
    const both = await Promise.all([post(owner, GITHUB, headers), post(owner, GITHUB, headers)]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409]);
  });
});

describe('a trigger', () => {
  it('can be changed, paused, resumed and deleted', async () => {
    verifies('triggers.routes');
    const owner = await newOwner();
    const { id, secret } = await createTrigger(owner);
    const at = `/v1/triggers/${id}`;
    const patch = (body: object) => server().call('PATCH', at, { key: owner.key, body });
    const changed = await patch({ filters: { labels: ['x'] }, budgetUsdPerMonth: 5, name: 'y' });
    expect(changed.body).toMatchObject({
      filters: { labels: ['x'] },
      budgetUsdPerMonth: 5,
      name: 'y',
    });
    expectInvalid(await patch({ work: { project: 'shop', task: '{{values.x}}' } }), 'work.task');
    expect((await patch({ status: 'paused' })).body).toMatchObject({ pausedReason: 'user' });
    expect((await patch({ status: 'active' })).body).toMatchObject({ pausedReason: null });
    expect(await server().call('DELETE', at, { key: owner.key })).toMatchObject({
      status: 200,
      body: { deleted: true, id },
    });
    expectError(await server().call('GET', at, { key: owner.key }), 'NOT_FOUND');
    const gone = await sendGithub(server(), { id, secret }, 'issues', githubLabelled());
    expect(gone.status).toBe(404);
  });

  it('takes its old secret for a while after a rotation, and not without grace', async () => {
    verifies('triggers.rotate');
    const owner = await newOwner();
    const first = await createTrigger(owner);
    const at = `/v1/triggers/${first.id}/rotate`;
    const rotate = async (body: object) => {
      const answer = await server().call('POST', at, { key: owner.key, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return { id: first.id, secret: answer.body['secret'] as string };
    };
    const second = await rotate({ gracePeriodHours: 1 });
    const status = async (trigger: { id: string; secret: string }, branch: string) =>
      (await sendGithub(server(), trigger, 'push', githubPush(branch))).status;
    expect([await status(first, 'a'), await status(second, 'b')]).toEqual([202, 202]);
    const third = await rotate({ gracePeriodHours: 0 });
    const after = [await status(first, 'c'), await status(second, 'd'), await status(third, 'e')];
    expect(after).toEqual([401, 401, 202]);
    expectInvalid(
      await server().call('POST', at, { key: owner.key, body: { gracePeriodHours: 25 } }),
      'gracePeriodHours',
    );
  });

  it('shows what an event would ask for, and starts nothing', async () => {
    verifies('triggers.routes');
    const owner = await newOwner();
    const { id } = await createTrigger(owner, {
      ...GITHUB,
      work: { project: 'shop', task: 'Fix {{issue.number}}', branch: 'millrace/{{issue.title}}' },
    });
    const test = (body: object) =>
      server().call('POST', `/v1/triggers/${id}/test`, { key: owner.key, body });
    expect(await test({ values: { 'issue.title': 'A b' } })).toMatchObject({
      status: 200,
      body: { event: 'issue_labeled', work: { task: 'Fix 12', branch: 'millrace/a-b' } },
    });
    const { rows } = await server().db.query('select 1 from run_requests where origin_id = $1', [
      id,
    ]);
    expect(rows).toEqual([]);
  });

  it('of another account is 403 and an unknown one 404, on every route', async () => {
    verifies('triggers.routes');
    const { id } = await createTrigger(await newOwner());
    const { key } = await newOwner();
    const routes = (at: string): [string, string, object?][] => [
      ['GET', at],
      ['PATCH', at, {}],
      ['DELETE', at],
      ['POST', `${at}/rotate`, {}],
      ['POST', `${at}/test`, {}],
      ['GET', `${at}/deliveries`],
      ['POST', `${at}/deliveries/tdel_x/replay`],
    ];
    for (const [method, path, body] of routes(`/v1/triggers/${id}`)) {
      expectError(await server().call(method, path, { key, body }), 'FORBIDDEN');
    }
    for (const other of ['trg_01jcq8z5e0e5v8r3m6k1t2w9xh', 'x', '%00']) {
      for (const [method, path, body] of routes(`/v1/triggers/${other}`)) {
        expectError(await server().call(method, path, { key, body }), 'NOT_FOUND');
      }
    }
  });

  it('goes with its team, and so does a schedule', async () => {
    const owner = await newOwner();
    const request = (method: string, path: string, body?: object, teamId = owner.teamId) =>
      server().call(method, path, { key: owner.key, body, headers: { 'x-team-id': teamId } });
    const team = (await request('POST', '/v1/teams', { name: 'short-lived' })).body['id'] as string;
    const made = await request('POST', '/v1/triggers', GITHUB, team);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const schedule = { name: 'x', everySeconds: 60, work: { project: 'shop', task: 'x' } };
    expect((await request('POST', '/v1/schedules', schedule, team)).status).toBe(201);
    expect((await request('DELETE', `/v1/teams/${team}`)).status).toBe(200);
    const trigger = made.body as { id: string; secret: string };
    expect((await sendGithub(server(), trigger, 'issues', githubLabelled())).status).toBe(404);
    const { rows } = await server().db.query(
      'select 1 from triggers where team_id = $1 union all select 1 from schedules where team_id = $1',
      [team],
    );
    expect(rows).toEqual([]);
  });

  it('needs the scope runs, and its token opens nothing else', async () => {
    expectError(await post(await createOwner(server(), { scopes: ['jobs'] }), GITHUB), 'FORBIDDEN');
    const { id, secret } = await createTrigger(await newOwner(), URL_);
    expect((await server().call('GET', `/v1/triggers/${id}`, { key: secret })).status).toBe(401);
    const other = await createTrigger(await newOwner(), URL_);
    const headers = { authorization: `Bearer ${other.secret}` };
    expect((await call(server(), id, '{}', headers)).status).toBe(401);
  });
});
