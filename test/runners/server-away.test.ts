// Runners cannot say that they are there while no server hears them: that is not their silence.
import { afterEach, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { TakenRequest } from '../../src/contract/runner-api.ts';
import { createUnbroken } from '../../src/engine/unbroken.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { announce, findRequest, requestRun } from './fake-runner.ts';

const started: TestServer[] = [];
afterEach(async () => {
  // The first one owns the database and goes last.
  for (const server of started.splice(0).toReversed()) await server.close();
});

it('requests stay with their runner when the nodes that hear it were away', async () => {
  verifies('runners.server-away');
  const start = async (role: 'worker' | 'api') => {
    const server = await startTestServer({ role, runnerLeaseSeconds: 30 }, started[0]?.databaseUrl);
    started.push(server);
    return server;
  };
  const worker = await start('worker');
  const before = await start('api');
  const { key } = await before.createKey({ scopes: [...SCOPES] });
  const mine = await announce(before, key);
  const id = await requestRun(before, key);
  const [request] = (await mine.take()) as [TakenRequest];
  await before.close();
  started.pop();
  // Both have been there for longer than a lease.
  await worker.db.query(`update nodes set started_at = now() - interval '1 hour'`);
  await worker.db.query(`update run_requests set lease_until = now() - interval '1 minute'`);

  const after = await start('api');
  const other = await announce(after, key);
  expect(await other.take({ wait: 4 })).toEqual([]);
  const { id: runnerId, session } = mine;
  const body = { session, free: 0, wait: 0, running: [{ id, fence: request.fence }] };
  const polled = await after.call('POST', `/v1/runners/${runnerId}/poll`, { key, body });
  expect(polled.body).toMatchObject({ lost: [] });
  expect(await findRequest(after, key, id)).toMatchObject({ status: 'running', attempts: 1 });
});

it('rounds are unbroken from the first one on that follows without a failure, a delay or a jump', async () => {
  verifies('runners.server-away');
  let now = 0;
  const unbroken = createUnbroken({ now: () => now, sleep: async () => undefined });
  const round = async (takes = 10) => unbroken.round(async () => void (now += takes));
  const seconds = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      now += 990;
      await round();
    }
  };
  await seconds(10);
  expect(unbroken.ms()).toBe(9010);
  await expect(unbroken.round(async () => Promise.reject(new Error('away')))).rejects.toThrow();
  await seconds(3);
  expect(unbroken.ms()).toBe(2010);
  await round(20_000);
  await seconds(2);
  expect(unbroken.ms()).toBe(1010);
  now += 60_000;
  await seconds(1);
  expect(unbroken.ms()).toBe(10);
  now -= 3_600_000;
  await seconds(4);
  expect(unbroken.ms()).toBe(3010);
});
