// Each time of a schedule is used once, whatever stops: a node, the database, or all of it for hours.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openDb } from '../../src/store/postgres/postgres.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { startServe } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { PATIENT_MS } from '../support/database-mode.ts';
import { waitUntil } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { create, createOwner, endRequests, find, firingsOf, requestsOf } from './schedules.ts';
import type { Owner } from './schedules.ts';

let database: TestDatabase;
let api: TestServer;
let watcher: Db;
let owner: Owner;
const nodes: TestServer[] = [];
const processes: NodeProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startTestServer({ role: 'api' }, database.url);
  watcher = openDb({ url: database.url, poolSize: 2, silenceMs: PATIENT_MS });
  owner = await createOwner(api);
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.close()));
  await Promise.all(processes.splice(0).map((one) => one.kill('SIGKILL')));
});
afterAll(async () => {
  await watcher?.close();
  await api?.close();
  await database?.drop();
});

async function startWorker(): Promise<NodeProcess> {
  const worker = await startServe(['--role', 'worker'], {
    DATABASE_URL: database.url,
    MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
    MILLRACE_DRAIN_SECONDS: '0',
  });
  processes.push(worker);
  return worker;
}

const startNode = async () => {
  const node = await startTestServer({ role: 'worker' }, database.url);
  nodes.push(node);
  return node;
};

const setDue = (id: string, ago: string) =>
  watcher.query('update schedules set next_at = now() - $2::interval where id = $1', [id, ago]);

const isFired = async (id: string) => (await firingsOf(owner, id)).length > 0;

it('two nodes start each of many schedules once', async () => {
  verifies('schedules.once');
  const ids: string[] = [];
  for (let n = 0; n < 30; n++) ids.push((await create(owner, { overlap: 'queue' })).id);
  await Promise.all(ids.map((id) => setDue(id, '1 second')));
  await Promise.all([startNode(), startNode()]);
  for (const id of ids) await waitUntil(() => isFired(id), 'every schedule');
  for (const id of ids) {
    expect(await requestsOf(owner, id)).toHaveLength(1);
    expect(await firingsOf(owner, id)).toHaveLength(1);
  }
});

/** Holds the log of schedules: what is just starting one waits in the middle of it. */
async function heldUp(work: () => Promise<void>): Promise<void> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%schedule_firings%'`;
  await watcher.tx(async (tx) => {
    await tx.query('lock table schedule_firings in access exclusive mode');
    await waitUntil(async () => {
      const { rows } = await watcher.query<{ count: number }>(waiting);
      return rows[0]!.count > 0;
    }, 'a start that waits');
    await work();
  });
}

it('a node that is killed in the middle of a start leaves it to another, once', async () => {
  verifies('schedules.once');
  const { id } = await create(owner);
  await setDue(id, '1 second');
  const [first] = await Promise.all([
    startWorker(),
    heldUp(async () => {
      await Promise.all(processes.map((one) => one.kill('SIGKILL')));
    }),
  ]);
  await first.ended;
  expect(await requestsOf(owner, id)).toEqual([]);
  await startWorker();
  await waitUntil(() => isFired(id), 'the start by another node');
  expect(await requestsOf(owner, id)).toHaveLength(1);
  expect(await firingsOf(owner, id)).toMatchObject([{ result: 'started' }]);
});

it('a database that loses every session in the middle of a start costs nothing', async () => {
  verifies('schedules.once');
  const { id } = await create(owner);
  await setDue(id, '1 second');
  const held = heldUp(async () => {
    await watcher.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }).catch(() => undefined);
  await Promise.all([startNode(), held]);
  await waitUntil(() => isFired(id).catch(() => false), 'the start');
  expect(await requestsOf(owner, id)).toHaveLength(1);
  expect(await firingsOf(owner, id)).toMatchObject([{ result: 'started' }]);
});

it('one that fails too often is paused before it is due again', async () => {
  verifies('schedules.paused');
  const { id } = await create(owner, { pauseAfterFailures: 2, overlap: 'queue' });
  const runNow = `/v1/schedules/${id}/run-now`;
  for (let n = 0; n < 2; n++) {
    expect((await api.call('POST', runNow, { key: owner.key })).status).toBe(202);
  }
  await endRequests(owner, id, 'failed');
  await startNode();
  await waitUntil(async () => (await find(owner, id)).status === 'paused', 'the pause');
  expect(await find(owner, id)).toMatchObject({ pausedReason: 'failures' });
  expect((await firingsOf(owner, id)).map(({ cause }) => cause)).toEqual(['manual', 'manual']);
});

it.each([
  ['once', 1, { cause: 'catch_up', result: 'started', reason: null, missed: 2 }],
  ['none', 0, { cause: 'time', result: 'skipped', reason: 'missed', missed: 3 }],
] as const)(
  'after three times without a server, catch-up %s asks for %d',
  async (catchUp, count, expected) => {
    verifies('schedules.catch-up');
    const { id } = await create(owner, { cron: undefined, everySeconds: 3600, catchUp });
    // Its interval began so long ago that three of its times have passed.
    await watcher.query(
      `update schedules set counted_from = now() - interval '210 minutes',
         next_at = now() - interval '150 minutes' where id = $1`,
      [id],
    );
    await startNode();
    await waitUntil(() => isFired(id), 'a firing');
    expect(await firingsOf(owner, id)).toMatchObject([expected]);
    expect(await requestsOf(owner, id)).toHaveLength(count);
    const next = Date.parse((await find(owner, id)).next[0]!);
    const { rows } = await watcher.query<{ now: Date }>('select now() as now');
    expect(Math.abs(next - rows[0]!.now.getTime() - 30 * 60_000)).toBeLessThan(600_000);
  },
);
