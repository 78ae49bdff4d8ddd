import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';
import { startServe } from '../support/cli.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { createHookServer } from './hook-server.ts';
import type { HookServer } from './hook-server.ts';
import { startReceiver, verifyIndependently } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let api: TestServer;
let receiver: Receiver;
let hooks: HookServer;
const workers: NodeProcess[] = [];

async function startWorker(): Promise<NodeProcess> {
  const worker = await startServe(['--role', 'worker'], {
    DATABASE_URL: api.databaseUrl,
    MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
    MILLRACE_ALLOW_PRIVATE_TARGETS: 'true',
    MILLRACE_DRAIN_SECONDS: '0',
  });
  workers.push(worker);
  return worker;
}

beforeAll(async () => {
  receiver = await startReceiver();
  api = await startTestServer({ role: 'api', allowPrivateTargets: true });
  hooks = await createHookServer(api, receiver);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
  await api?.close();
  await receiver?.close();
});

it('a node that is killed in the middle of a delivery loses nothing', async () => {
  verifies('webhooks.at-least-once', 'webhooks.private-targets');
  const first = await startWorker();
  const hook = await hooks.create('/killed');
  receiver.answer('/killed', (response, nth) => {
    if (nth > 1) response.end();
  });
  await hooks.emit();
  await receiver.until('/killed', 1);
  await first.kill('SIGKILL');
  await startWorker();
  // It is taken over once its lease has run out.
  const [one, two] = await receiver.until('/killed', 2);
  expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
  expect(two!.text).toBe(one!.text);
  verifyIndependently(hook.secret, two!);
  await hooks.delivery(hook.id, ({ status }) => status === 'delivered');
});

it('a node that is told to stop gives back what it was sending', async () => {
  const [, second] = workers;
  await hooks.create('/stopped', { events: ['execution.failed'] });
  receiver.answer('/stopped', (response, nth) => {
    if (nth > 1) response.end();
  });
  await hooks.emit({ event: 'execution.failed' });
  await receiver.until('/stopped', 1);
  await second!.kill('SIGTERM');
  const { rows } = await api.db.query<{ leased: boolean; tries: number }>(
    `select d.leased, d.tries from webhook_deliveries d join webhooks w on w.id = d.webhook_id
     where w.url like '%/stopped'`,
  );
  expect(rows).toEqual([{ leased: false, tries: 0 }]);
  await startWorker();
  await receiver.until('/stopped', 2);
});

it('two nodes never have more than four deliveries under way to one webhook', async () => {
  await startWorker();
  const count = 60;
  const hook = await hooks.create('/many', { events: ['execution.step_completed'] });
  receiver.answer('/many', async (response) => {
    await delay(20);
    response.end();
  });
  for (let n = 0; n < count; n++) await hooks.emit({ event: 'execution.step_completed' });
  await waitUntil(async () => {
    const { rows } = await api.db.query<{ open: number }>(
      `select count(*)::int as open from webhook_deliveries
       where webhook_id = $1 and status = 'pending'`,
      [hook.id],
    );
    return rows[0]!.open === 0;
  }, 'all deliveries');
  const messages = receiver.on('/many');
  expect(messages).toHaveLength(count);
  expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
  const most = Math.max(...messages.map(({ atOnce }) => atOnce));
  expect(most).toBeLessThanOrEqual(4);
  expect(most).toBeGreaterThan(1);
});
