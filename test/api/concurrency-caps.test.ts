import { expect, it } from 'vitest';
import type { Tier } from '../../src/domain/job/tiers.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function countOf(userId: string) {
  const { rows } = await server().db.query<{ status: string; count: number; parked: number }>(
    `select status, count(*)::int as count, count(*) filter (where parked)::int as parked
     from jobs where user_id = $1 group by status`,
    [userId],
  );
  const of = (status: string) => rows.find((row) => row.status === status);
  return {
    running: of('running')?.count ?? 0,
    pending: of('pending')?.count ?? 0,
    parked: of('pending')?.parked ?? 0,
    failed: of('failed')?.count ?? 0,
  };
}

it.each([
  ['trial', 2, 4],
  ['pro', 10, 13],
  ['team', 25, 28],
  ['enterprise', 30, 30],
] as [Tier, number, number][])(
  'of the jobs of a %s account %i run at once, and the others wait',
  async (tier, cap, submitted) => {
    verifies('limits.concurrency.tiers', 'limits.concurrency.waits');
    const { key, email } = await server().createKey({ tier });
    const userId = await server().userId(email);
    const ids: string[] = [];
    for (let i = 0; i < submitted; i++) {
      ids.push(await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 }));
    }
    const waiting = submitted - cap;
    await waitUntil(async () => (await countOf(userId)).running === cap);
    expect(await countOf(userId)).toEqual({
      running: cap,
      pending: waiting,
      parked: waiting,
      failed: 0,
    });
    if (waiting === 0) return;
    // The end of one lets the next in, which is the oldest.
    const next = ids[cap]!;
    await server().call('POST', `/api/v1/job/${ids[0]!}/cancel`, { key });
    await waitUntil(async () => {
      const { rows } = await server().db.query<{ status: string }>(
        'select status from jobs where id = $1',
        [next],
      );
      return rows[0]?.status === 'running';
    });
    expect(await countOf(userId)).toEqual({
      running: cap,
      pending: waiting - 1,
      parked: waiting - 1,
      failed: 1,
    });
  },
);

it('a waiting job can be cancelled, and its place is not missed', async () => {
  verifies('limits.concurrency.waits');
  const { key, email } = await server().createKey({ tier: 'trial' });
  const userId = await server().userId(email);
  const ids: string[] = [];
  for (const prompt of ['[[sim:hang]]', '[[sim:hang]]', 'third', 'fourth']) {
    ids.push(await server().submit(key, { prompt }));
  }
  await waitUntil(async () => (await countOf(userId)).running === 2);
  const cancel = (id: string) => server().call('POST', `/api/v1/job/${id}/cancel`, { key });
  expect((await cancel(ids[2]!)).body).toEqual({ cancelled: true });
  expect((await countOf(userId)).running).toBe(2);
  await cancel(ids[0]!);
  await waitUntil(async () => (await countOf(userId)).pending === 0);
  expect(await server().finished(key, ids[3]!)).toMatchObject({ status: 'completed' });
});
