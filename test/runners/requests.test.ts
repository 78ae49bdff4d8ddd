// Run requests over HTTP, on two nodes: who gets them, who keeps them, and whose word counts.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { joinTeam, newPerson } from '../accounts/people.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { TakenRequest } from '../../src/contract/runner-api.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { announce, findRequest, requestRun, runnerBody } from './fake-runner.ts';

const nodes = useNodes(2, { trustedProxies: ['127.0.0.1'] });
const one = () => nodes()[0]!;
const two = () => nodes()[1]!;

/** A team of its own for each test: what waits in one is taken by its runners alone. */
let team: string;
let key: string;
let other: string;

async function keyIn(role: 'owner' | 'member') {
  const person = await newPerson(one());
  if (role === 'owner') {
    team = (await person.call('POST', '/v1/teams', { name: 'runs' })).body['id'] as string;
  } else {
    await joinTeam(one(), { teamId: team, userId: person.userId, role });
  }
  const body = { name: 'x', teamId: team, scopes: SCOPES };
  return (await person.call('POST', '/api/v1/api-keys', body)).body['key'] as string;
}

beforeEach(async () => {
  key = await keyIn('owner');
  other = await keyIn('member');
});

const asRun = (token: string, path: string, method = 'GET', body?: unknown) =>
  two().call(method, path, { key: token, ...(body === undefined ? {} : { body }) });

describe('a request', () => {
  it('is taken once, by a runner that has the project, and ends with what that says', async () => {
    verifies('runners.request', 'runners.claimed-once');
    const [mine, others] = await Promise.all([announce(one(), key), announce(two(), key)]);
    const id = await requestRun(one(), key);
    const taken = (await Promise.all([mine.take(), others.take()])).flat();
    expect(taken.map((each) => each.id)).toEqual([id]);
    const [request] = taken as [TakenRequest];
    expect(request).toMatchObject({ fence: 1, work: { project: 'shop' }, base: null, runIds: [] });
    const holder = mine.running.length > 0 ? mine : others;
    const said = { runId: 'run_a', base: 'a'.repeat(40) };
    expect((await holder.say(request, 'progress', said)).status).toBe(200);
    expect(await findRequest(two(), key, id)).toMatchObject({
      status: 'running',
      runId: 'run_a',
      base: said.base,
    });
    const waiting = findRequest(two(), key, id, '?wait=30');
    expect((await holder.end(request)).status).toBe(200);
    expect(await waiting).toMatchObject({ status: 'completed', outcome: { message: '' } });
    // Its answer may have been lost: said again, it is the same.
    expect((await holder.end(request)).status).toBe(200);
    expectError(await holder.end(request, 'failed'), 'CONFLICT');
  });

  it('comes to a runner that waits at once, and so does its cancelling', async () => {
    verifies('runners.cancel');
    const runner = await announce(one(), key);
    const waiting = runner.take({ wait: 30 });
    await delay(50);
    const id = await requestRun(two(), other);
    const [request] = (await waiting) as [TakenRequest];
    const stopping = runner.poll({ wait: 30 });
    await delay(50);
    expect((await two().call('POST', `/v1/run-requests/${id}/cancel`, { key })).body).toMatchObject(
      {
        status: 'running',
        cancelRequested: true,
      },
    );
    expect((await stopping).body).toMatchObject({ cancel: [id] });
    expect((await runner.end(request, 'cancelled')).status).toBe(200);
    const again = await two().call('POST', `/v1/run-requests/${id}/cancel`, { key });
    expectError(again, 'CONFLICT');
  });

  it('is taken by a runner that waits for a part of a millisecond more', async () => {
    const runner = await announce(one(), key);
    const id = await requestRun(one(), key);
    expect(await runner.take({ wait: 4 / 3 })).toMatchObject([{ id }]);
    const waited = await findRequest(two(), key, id, `?wait=${1 / 30_000}`);
    expect(waited).toMatchObject({ status: 'running' });
  });

  it('that is sent again under its key is the one from before', async () => {
    verifies('runners.request');
    await announce(one(), key);
    const work = { project: 'shop', manifest: { path: 'millrace.yaml' } };
    const send = (node: typeof one, more: object = {}) =>
      node().call('POST', '/v1/run-requests', {
        key,
        body: { ...work, ...more },
        headers: { 'idempotency-key': 'k-1' },
      });
    const both = await Promise.all([send(one), send(two)]);
    expect(new Set(both.map(({ body }) => body['id'])).size).toBe(1);
    const replayed = both.filter(({ headers }) => headers.has('idempotency-replayed'));
    expect(replayed).toHaveLength(1);
    expectError(await send(one, { model: 'sim-fast' }), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('that waits is cancelled at once, and says what it waited for', async () => {
    verifies('runners.waits-for');
    const runner = await announce(one(), key, { labels: ['linux'] });
    const id = await requestRun(one(), key, { labels: ['gpu'] });
    expect(await runner.take()).toEqual([]);
    expect(await findRequest(two(), key, id)).toMatchObject({
      status: 'queued',
      waitsFor: 'No runner of this project has the labels gpu.',
    });
    const { body } = await two().call('POST', `/v1/run-requests/${id}/cancel`, { key });
    expect(body).toMatchObject({ status: 'cancelled', waitsFor: null });
  });

  it('is given again to a runner that began anew', async () => {
    const before = await announce(one(), key);
    const id = await requestRun(one(), key);
    const [lost] = (await before.take()) as [TakenRequest];
    const now = await announce(two(), key, { id: before.id });
    expect(now).toMatchObject({ id: before.id, session: 2 });
    expectError(await before.poll(), 'CONFLICT');
    const [again] = (await now.take()) as [TakenRequest];
    expect(again).toMatchObject({ id, fence: 2 });
    expect((await asRun(lost.token, '/api/v1/auth/me')).status).toBe(401);
    expect((await now.end(again)).status).toBe(200);
  });

  it("given back is another runner's", async () => {
    const first = await announce(one(), key);
    const id = await requestRun(one(), key);
    const [request] = (await first.take()) as [TakenRequest];
    expect((await first.say(request, 'release', {})).status).toBe(200);
    expectError(await first.end(request), 'CONFLICT');
    const second = await announce(two(), key);
    expect(await second.take()).toMatchObject([{ id }]);
    expect(await findRequest(one(), key, id)).toMatchObject({ attempts: 2 });
  });
});

describe('the queue', () => {
  it('is fair among members, keeps priorities and limits', async () => {
    verifies('runners.fair', 'runners.limit');
    const runner = await announce(one(), key, { concurrency: 20 });
    const mine = [];
    for (let i = 0; i < 3; i += 1) mine.push(await requestRun(one(), key));
    const urgent = await requestRun(one(), key, { priority: 5 });
    const theirs = await requestRun(one(), other);
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      order.push(...(await runner.take()).map((each) => each.id));
    }
    expect(order).toEqual([urgent, theirs, mine[0]]);
    const limit = await one().call('PATCH', '/v1/projects/shop', { key, body: { maxRunning: 3 } });
    expect(limit.body).toMatchObject({ maxRunning: 3, running: 3, queued: 2 });
    expect(await runner.take()).toEqual([]);
    expect(await findRequest(two(), key, mine[1]!)).toMatchObject({
      waitsFor: 'The project runs 3 at a time.',
    });
    await one().call('PATCH', '/v1/projects/shop', { key, body: { maxRunning: null } });
    expect(await runner.take()).toMatchObject([{ id: mine[1] }]);
  });

  it('keeps the limit of the team over its projects, whatever asks at once', async () => {
    verifies('runners.limit');
    const projects = [{ name: 'shop' }, { name: 'depot' }];
    const runners = [
      await announce(one(), key, { projects: [projects[0]!] }),
      await announce(two(), key, { projects: [projects[1]!] }),
      await announce(two(), key, { projects }),
    ];
    const settings = { maxRunningRequests: 2 };
    const changed = await one().call('PATCH', `/v1/teams/${team}`, { key, body: { settings } });
    expect(changed.body).toMatchObject({ settings });
    const ids = [];
    for (let i = 0; i < 6; i += 1) {
      ids.push(await requestRun(one(), key, { project: projects[i % 2]!.name }));
    }
    const taken = (
      await Promise.all([...runners, ...runners].map((each) => each.take({ free: 4 })))
    ).flat();
    // Of two polls of one runner at once, the second may be given again what the first was given.
    expect(new Set(taken.map((each) => each.id)).size).toBe(2);
    const waiting = ids.find((id) => taken.every((each) => each.id !== id))!;
    expect(await findRequest(two(), key, waiting)).toMatchObject({
      waitsFor: 'The team runs 2 at a time.',
    });
    await one().call('PATCH', `/v1/teams/${team}`, {
      key,
      body: { settings: { maxRunningRequests: null } },
    });
    const rest = (await Promise.all(runners.map((each) => each.take({ free: 4 })))).flat();
    expect(rest.length).toBeGreaterThan(0);
  });

  it('gives nothing to a runner that drains, and nothing of other teams', async () => {
    verifies('runners.drain');
    const runner = await announce(one(), key);
    const path = `/v1/runners/${runner.id}`;
    await one().call('PATCH', path, { key, body: { draining: true } });
    const id = await requestRun(one(), key);
    expect((await runner.poll()).body).toMatchObject({ start: [], draining: true });
    expect(await findRequest(one(), key, id)).toMatchObject({
      waitsFor: 'build: takes nothing new.',
    });
    const stranger = await one().createKey({ scopes: [...SCOPES] });
    const theirs = await announce(one(), stranger.key);
    expect(await theirs.take()).toEqual([]);
    expect((await one().call('GET', path, { key: stranger.key })).status).toBe(404);
    const found = await one().call('GET', `/v1/run-requests/${id}`, { key: stranger.key });
    expectError(found, 'FORBIDDEN');
  });

  it('gives nothing of a member who has left', async () => {
    const person = await newPerson(one());
    await joinTeam(one(), { teamId: team, userId: person.userId, role: 'member' });
    const made = { name: 'x', teamId: team, scopes: SCOPES };
    const leaver = (await person.call('POST', '/api/v1/api-keys', made)).body['key'] as string;
    const runner = await announce(one(), key);
    const id = await requestRun(one(), leaver);
    await person.call('DELETE', `/v1/teams/${team}/members/${person.userId}`);
    expect(await runner.take()).toEqual([]);
    expect(await findRequest(one(), key, id)).toMatchObject({
      status: 'cancelled',
      outcome: { message: 'The person who asked for it left the team.' },
    });
  });

  it('takes the runs of a member who leaves away from runners, and the runners of that member', async () => {
    const person = await newPerson(one());
    await joinTeam(one(), { teamId: team, userId: person.userId, role: 'member' });
    const made = { name: 'x', teamId: team, scopes: SCOPES };
    const leaver = (await person.call('POST', '/api/v1/api-keys', made)).body['key'] as string;
    const runner = await announce(one(), key);
    const theirs = await announce(two(), leaver, { name: 'theirs' });
    await requestRun(one(), leaver);
    const [request] = (await runner.take()) as [TakenRequest];
    await person.call('DELETE', `/v1/teams/${team}/members/${person.userId}`);
    expect((await asRun(request.token, '/api/v1/auth/me')).status).toBe(401);
    expectError(await runner.end(request), 'CONFLICT');
    expect((await theirs.poll()).status).toBe(401);
    const { body } = await one().call('GET', '/v1/runners', { key });
    expect((body['items'] as { name: string }[]).map(({ name }) => name)).toEqual(['build']);
  });
});

describe('who looks on', () => {
  it('finds the requests of a run', async () => {
    verifies('runners.of-run');
    const runner = await announce(one(), key);
    const made = await requestRun(one(), key);
    await requestRun(one(), key);
    const [request] = (await runner.take()) as [TakenRequest];
    await runner.say(request, 'progress', { runId: 'run_of' });
    const work = { manifest: undefined, run: { id: 'run_of', action: 'revert' } };
    const follows = await requestRun(one(), key, work);
    const ids = async (query: string) => {
      const { body } = await two().call('GET', `/v1/run-requests?${query}`, { key });
      return (body['items'] as { id: string }[]).map(({ id }) => id);
    };
    expect(await ids('runId=run_of')).toEqual([follows, made]);
    expect(await ids('runId=run_of&status=running')).toEqual([made]);
    expect(await ids('runId=run_other')).toEqual([]);
    expectInvalid(await two().call('GET', '/v1/run-requests?runId=a%20b', { key }), 'runId');
  });
});

describe('what is asked for', () => {
  it.each([
    ['a way out of the project', { manifest: { path: '../../etc/passwd' } }],
    ['an absolute path', { manifest: { path: '/etc/passwd' } }],
    ['an option as a path', { manifest: { path: '-x' } }],
    ['a branch with a way out', { branch: 'millrace/../main' }],
    ['a branch of others', { branch: 'main' }],
    ['a branch that git does not take', { branch: 'millrace/a.lock' }],
    ['a branch with a line break', { branch: 'millrace/a\nb' }],
    ['a branch with a shell in it', { branch: 'millrace/$(id)' }],
    ['two kinds of work', { task: 'x' }],
    ['nothing to do', { manifest: undefined }],
    ['a model that is an option', { model: '--apply never' }],
    ['a field that nobody knows', { commands: 'host' }],
    ['only a plan of what is planned already', { planOnly: true }],
    ['a project that is a path', { project: '../shop' }],
    ['NUL in a task', { manifest: undefined, task: 'a\0b' }],
    ['half a character', { manifest: undefined, task: 'a\ud800' }],
  ])('is refused with %s', async (_, more) => {
    verifies('runners.request.checked');
    await announce(one(), key);
    const body = { project: 'shop', manifest: { path: 'a.yaml' }, ...more };
    const answer = await one().call('POST', '/v1/run-requests', { key, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
  });

  it('is refused for projects that no runner has, and for runs that none has made', async () => {
    const work = { project: 'shop', manifest: { path: 'a.yaml' } };
    const nowhere = await one().call('POST', '/v1/run-requests', { key, body: work });
    expectInvalid(nowhere, 'project');
    await announce(one(), key);
    const body = { project: 'shop', run: { id: 'run_x', action: 'revert' } };
    const unknown = await one().call('POST', '/v1/run-requests', { key, body });
    expectInvalid(unknown, 'run.id');
  });

  it('goes to the runner that made the run, and fails when that is removed', async () => {
    const runner = await announce(one(), key);
    await requestRun(one(), key);
    const [request] = (await runner.take()) as [TakenRequest];
    await runner.say(request, 'progress', { runId: 'run_made' });
    await runner.end(request);
    const second = await announce(two(), key, { name: 'other' });
    const id = await requestRun(one(), key, {
      manifest: undefined,
      run: { id: 'run_made', action: 'revert' },
    });
    expect(await second.take()).toEqual([]);
    const removed = await one().call('DELETE', `/v1/runners/${runner.id}`, { key });
    expect(removed.body).toEqual({ removed: true, id: runner.id });
    expect(await findRequest(one(), key, id)).toMatchObject({ status: 'failed' });
  });
});

describe('the token of a request', () => {
  it('is for what a run needs, as the person who asked, and for nothing else', async () => {
    verifies('runners.token');
    const runner = await announce(one(), key);
    const id = await requestRun(one(), other);
    const [request] = (await runner.take()) as [TakenRequest];
    const { token } = request;
    const me = await asRun(token, '/api/v1/auth/me');
    expect(me.body).toMatchObject({ credential: { kind: 'request', id }, team: { id: team } });
    const job = await asRun(token, '/api/v1/execute', 'POST', {
      model: 'sim-instant',
      prompt: 'x',
      maxTokens: 5,
      streamId: 'api',
      runId: 'run_z',
    });
    expect(job.status).toBe(202);
    const mayNot = [
      ['POST', '/v1/run-requests', { project: 'shop', task: 'x' }],
      ['GET', '/v1/runners'],
      ['POST', '/v1/runners', runnerBody()],
      ['GET', '/api/v1/keys'],
      ['GET', '/v1/webhooks'],
      ['GET', '/api/v1/api-keys'],
      ['GET', '/v1/teams'],
      ['GET', '/v1/usage/current'],
      ['POST', '/v1/approvals/apr_01jcq8z5e0e5v8r3m6k1t2w9xh/resolve', { decision: 'approve' }],
      ['PATCH', '/api/v1/auth/me', { name: 'x' }],
      ['POST', '/api/v1/runs/run_z/shares', {}],
    ] as const;
    for (const [method, path, body] of mayNot) {
      const answer = await asRun(token, path, method, body);
      expect([method, path, answer.status]).toEqual([method, path, 403]);
    }
    const elsewhere = await two().call('GET', '/api/v1/auth/me', {
      key: token,
      headers: { 'x-team-id': 'team_01jcq8z5e0e5v8r3m6k1t2w9xh' },
    });
    expect(elsewhere.status).toBe(403);
    const foreign = `/v1/run-requests/rreq_01jcq8z5e0e5v8r3m6k1t2w9xh/answers/${'a'.repeat(64)}`;
    expect((await asRun(token, foreign)).status).toBe(403);
    expect((await two().call('GET', foreign, { key })).status).toBe(403);
  });
});
