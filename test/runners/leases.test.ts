// Runners that fall silent: what they had goes to others, and what they say later does not count.
import { beforeEach, describe, expect, it } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { TakenRequest } from '../../src/contract/runner-api.ts';
import { expectError } from '../support/expect-error.ts';
import { openEvents } from '../support/sse.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { announce, findRequest, requestRun } from './fake-runner.ts';

const nodes = useNodes(2, { runnerLeaseSeconds: 2 });
const one = () => nodes()[0]!;
const two = () => nodes()[1]!;

let key: string;
/** A team of its own for each test: what waits in one is taken by its runners alone. */
beforeEach(async () => {
  const person = await newPerson(one());
  const made = await person.call('POST', '/api/v1/api-keys', { name: 'x', scopes: SCOPES });
  key = made.body['key'] as string;
});

const asRun = (token: string, path: string, method = 'GET', body?: unknown) =>
  two().call(method, path, { key: token, ...(body === undefined ? {} : { body }) });

describe('a request', () => {
  it('goes to another runner when its own is silent, whose word no longer counts', async () => {
    verifies('runners.lease', 'runners.fence');
    const first = await announce(one(), key);
    const id = await requestRun(one(), key);
    const [before] = (await first.take()) as [TakenRequest];
    await first.say(before, 'progress', { runId: 'run_a', base: 'b'.repeat(40) });
    const answer = `/v1/run-requests/${id}/answers/${'c'.repeat(64)}`;
    const kept = await asRun(before.token, answer, 'PUT', { answer: 'forty-two' });
    expect(kept.body).toEqual({ kept: true });
    const second = await announce(two(), key);
    const taken = await second.take({ wait: 30 });
    const [now] = taken as [TakenRequest];
    expect(now).toMatchObject({ id, fence: 2, base: 'b'.repeat(40), runIds: ['run_a'] });
    expect(now.token).not.toBe(before.token);
    expectError(await first.end(before), 'CONFLICT');
    expectError(await first.say(before, 'progress', { runId: 'run_b' }), 'CONFLICT');
    expect((await asRun(before.token, '/api/v1/auth/me')).status).toBe(401);
    expect((await asRun(now.token, answer)).body).toEqual({ answer: 'forty-two' });
    first.running = [{ id, fence: 1 }];
    expect((await first.poll()).body).toMatchObject({ lost: [id] });
    expect((await second.end(now)).status).toBe(200);
    expect((await asRun(now.token, '/api/v1/auth/me')).status).toBe(401);
  });

  it('stays with a runner that was only out of reach', async () => {
    verifies('runners.lease');
    const runner = await announce(one(), key);
    const id = await requestRun(one(), key);
    const [request] = (await runner.take()) as [TakenRequest];
    await expect.poll(async () => (await findRequest(two(), key, id))['status']).toBe('queued');
    expect((await asRun(request.token, '/api/v1/auth/me')).status).toBe(200);
    expect((await runner.poll({ free: 0 })).body).toMatchObject({ lost: [], start: [] });
    expect(await findRequest(two(), key, id)).toMatchObject({ status: 'running', attempts: 1 });
    expect((await runner.end(request)).status).toBe(200);
  });

  it('in place never moves', async () => {
    verifies('runners.in-place');
    const first = await announce(one(), key, { projects: [{ name: 'shop', inPlace: true }] });
    const second = await announce(two(), key, { projects: [{ name: 'shop', inPlace: true }] });
    const id = await requestRun(one(), key, { inPlace: true });
    const [request] = (await first.take()) as [TakenRequest];
    await expect.poll(async () => (await findRequest(two(), key, id))['status']).toBe('queued');
    expect(await second.take()).toEqual([]);
    const back = await announce(one(), key, {
      id: first.id,
      projects: [{ name: 'shop', inPlace: true }],
    });
    expect(await back.take()).toMatchObject([{ id, fence: 2 }]);
    expect(request.fence).toBe(1);
  });

  it('is given up when it has cost five runners', async () => {
    verifies('runners.losses');
    const id = await requestRun(one(), (await announce(one(), key)) && key);
    for (let taken = 1; taken <= 5; taken += 1) {
      const runner = await announce(two(), key);
      expect(await runner.take({ wait: 30 })).toMatchObject([{ id }]);
    }
    await expect.poll(async () => (await findRequest(one(), key, id))['status']).toBe('failed');
    expect(await findRequest(one(), key, id)).toMatchObject({
      outcome: { failure: 'lost', message: '5 runners stopped in the middle of it.' },
    });
  });
});

describe('who looks on', () => {
  it('hears of requests, and of a runner that is silent and back', async () => {
    verifies('runners.news');
    const runner = await announce(one(), key);
    const news = await openEvents(`${two().url}/api/v1/events?topics=team`, { 'x-api-key': key });
    const state = async () =>
      (await two().call('GET', `/v1/runners/${runner.id}`, { key })).body['state'];
    /** Looks whenever there are news, and at no other time. */
    const until = async (wanted: string) => {
      for (let seen: unknown; seen !== wanted; seen = await state()) {
        const [said] = (await news.until(({ event }) => event === 'changed')).slice(-1);
        expect(said!.data['data']).toEqual({ requests: [] });
      }
    };
    await runner.poll();
    await until('away');
    await runner.poll();
    await until('connected');
    await requestRun(one(), key);
    await news.until(({ event }) => event === 'changed');
    news.close();
  });
});
