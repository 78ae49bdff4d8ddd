// A delivery starts one run, on however many nodes it comes, and whatever dies in the middle of it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOwner, requestsOf } from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { startServe } from '../support/cli.ts';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { githubLabelled } from './payloads.ts';
import { createTrigger, deliveriesOf, sendGithub, signed } from './triggers.ts';

let database: TestDatabase;
let first: TestServer;
let second: TestServer;
let owner: Owner;
beforeAll(async () => {
  database = await createTestDatabase();
  first = await startTestServer({ role: 'api' }, database.url);
  second = await startTestServer({ role: 'api' }, database.url);
  owner = await createOwner(first);
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await database?.drop();
});

it('the same delivery at two nodes at once starts one run', async () => {
  verifies('triggers.once');
  const trigger = await createTrigger(owner);
  const send = (server: TestServer) => sendGithub(server, trigger, 'issues', githubLabelled());
  const all = await Promise.all([first, second, first, second].map(send));
  expect(all.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 202]);
  expect(new Set(all.map(({ body }) => body.deliveryId)).size).toBe(1);
  expect(await requestsOf(owner, trigger.id)).toHaveLength(1);
  expect(await deliveriesOf(owner, trigger.id)).toHaveLength(1);
});

it('a node that is killed in the middle of a delivery has done nothing, and the forge sends it again', async () => {
  verifies('triggers.once');
  const trigger = await createTrigger(owner);
  const node = await startServe(['--role', 'api', '--port', '0'], {
    DATABASE_URL: database.url,
    MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
    MILLRACE_DRAIN_SECONDS: '0',
  });
  const text = JSON.stringify(githubLabelled());
  const waiting = `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%trigger_deliveries%'`;
  try {
    await first.db.tx(async (tx) => {
      await tx.query('lock table trigger_deliveries in access exclusive mode');
      const sent = fetch(`${node.ready.url}/v1/hooks/${trigger.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed(trigger.secret, text, 'issues') },
        body: text,
      }).catch(() => undefined);
      await waitUntil(async () => {
        const { rows } = await second.db.query<{ count: number }>(waiting);
        return rows[0]!.count > 0;
      }, 'a delivery that waits');
      await node.kill('SIGKILL');
      await sent;
    });
  } finally {
    await node.kill('SIGKILL');
  }
  expect(await requestsOf(owner, trigger.id)).toEqual([]);
  const again = await sendGithub(second, trigger, 'issues', githubLabelled());
  expect(again).toMatchObject({ status: 202, body: { result: 'started', repeated: false } });
  expect(await requestsOf(owner, trigger.id)).toHaveLength(1);
});
