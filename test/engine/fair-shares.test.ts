// Shares of the slots between users, whatever one of them does.
import { afterEach, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const nodes: TestServer[] = [];

async function start(...settings: Parameters<typeof startTestServer>[0][]): Promise<TestServer> {
  for (const each of settings) nodes.push(await startTestServer(each, nodes[0]?.databaseUrl));
  return nodes[0]!;
}

afterEach(async () => {
  for (const node of nodes.splice(0).toReversed()) await node.close();
});

async function count(sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await nodes[0]!.db.query<{ count: unknown }>(sql, values);
  return Number(rows[0]!.count);
}

async function submitAll(key: string, bodies: readonly Record<string, unknown>[]) {
  const ids: string[] = [];
  for (const body of bodies) ids.push(await nodes[0]!.submit(key, { maxTokens: 5, ...body }));
  return ids;
}

async function startOrder(total: number): Promise<string[]> {
  await waitUntil(
    async () => (await count(`select count(*) from jobs where status = 'completed'`)) === total,
    'all jobs',
  );
  const { rows } = await nodes[0]!.db.query<{ id: string }>(
    'select id from jobs order by started_at, id',
  );
  return rows.map((row) => row.id);
}

const PRIORITIES = Array.from({ length: 21 }, (_, index) => index - 10);

it('many priorities get a user no larger share, and order the own jobs strictly', async () => {
  verifies('job.execute.priority');
  const api = await start({ role: 'api' });
  const [many, one] = [await api.createKey(), await api.createKey()];
  const mine = await submitAll(
    many.key,
    [...PRIORITIES, ...PRIORITIES].map((priority) => ({ priority })),
  );
  const other = await submitAll(
    one.key,
    Array.from({ length: 30 }, () => ({})),
  );
  await start({ role: 'worker', slots: 1 });
  const order = await startOrder(mine.length + other.length);
  const started = [0, 0];
  for (const id of order) {
    started[mine.includes(id) ? 0 : 1]! += 1;
    if (started[1]! < other.length) {
      expect(Math.abs(started[0]! - started[1]!)).toBeLessThanOrEqual(2);
    }
  }
  // Highest first, and of the same priority the older one.
  const expected = PRIORITIES.toReversed().flatMap((_, index) => [
    mine[20 - index]!,
    mine[41 - index]!,
  ]);
  expect(order.filter((id) => mine.includes(id))).toEqual(expected);
  expect(order.filter((id) => other.includes(id))).toEqual(other);
});

const HANG = { prompt: '[[sim:hang]]' };
const hanging = (howMany: number) => Array.from({ length: howMany }, () => HANG);
const runningJobs = () => count(`select count(*) from jobs where status = 'running'`);

for (const settings of [[{ slots: 4 }], [{ slots: 3 }, { slots: 3 }]]) {
  it(`jobs without end of one user leave a slot to others (${settings.length} nodes)`, async () => {
    const api = await start(...settings);
    const slots = settings.reduce((sum, each) => sum + each.slots, 0);
    const [busy, quiet, third] = [
      await api.createKey(),
      await api.createKey(),
      await api.createKey(),
    ];
    await submitAll(busy.key, hanging(slots + 4));
    // All but the slot that each node keeps.
    await waitUntil(async () => (await runningJobs()) === slots - settings.length);
    for (let i = 0; i < 3; i++) {
      const job = await api.finished(quiet.key, await api.submit(quiet.key));
      expect(job).toMatchObject({ status: 'completed', attempt: 1 });
    }
    // One that stays takes the place of its owner, not that of everybody else for ever.
    const [staying] = await submitAll(quiet.key, hanging(1));
    await waitUntil(async () => {
      const { body } = await api.call('GET', `/api/v1/job/${staying!}`, { key: quiet.key });
      return body['status'] === 'running';
    });
    const waiting = await api.submit(third.key);
    const { rows } = await api.db.query<{ id: string }>(
      `select id from jobs where status = 'running' and user_id = $1 limit 1`,
      [await api.userId(busy.email)],
    );
    // A slot that becomes free goes to who has none, not to the backlog of the busy one.
    await api.call('POST', `/api/v1/job/${rows[0]!.id}/cancel`, { key: busy.key });
    expect(await api.finished(third.key, waiting)).toMatchObject({ status: 'completed' });
  });
}

it('a user alone on a server gets all of its slots', async () => {
  const api = await start({ slots: 4 });
  const { key } = await api.createKey();
  await submitAll(key, hanging(6));
  await waitUntil(async () => (await runningJobs()) === 4);
});
