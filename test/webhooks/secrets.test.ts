import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pruneWebhooks } from '../../src/store/webhooks/webhook-deliveries.ts';
import { runCli } from '../support/cli.ts';
import { expectError } from '../support/expect-error.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { createHookServer } from './hook-server.ts';
import type { HookServer } from './hook-server.ts';
import { startReceiver, verifyIndependently } from './receiver.ts';
import type { Receiver } from './receiver.ts';

let server: TestServer;
let receiver: Receiver;
let hooks: HookServer;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-hooks-'));
  receiver = await startReceiver();
  server = await startTestServer({ allowPrivateTargets: true, masterKey: undefined, dataDir });
  hooks = await createHookServer(server, receiver);
});
afterAll(async () => {
  await server?.close();
  await receiver?.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('secrets of webhooks move under a new master key and sign as before', async () => {
  verifies('webhooks.rotate-secret');
  const hook = await hooks.create('/moved');
  const path = `/v1/webhooks/${hook.id}/rotate-secret`;
  const { body } = await server.call('POST', path, { key: hooks.key });
  const settings = { DATABASE_URL: server.databaseUrl, MILLRACE_DATA_DIR: dataDir };
  const { code, stdout } = await runCli(['secrets', 'rotate', '--json'], settings);
  expect(code, stdout).toBe(0);
  const { masterKeyId, rewrapped } = JSON.parse(stdout) as Record<string, unknown>;
  expect(rewrapped).toBe(2);
  const { rows } = await server.db.query<{ id: string }>(
    `select split_part(sealed_secret, '.', 2) as id from webhooks union
     select split_part(sealed_secret, '.', 2) from webhook_old_secrets`,
  );
  expect(rows).toEqual([{ id: masterKeyId }]);
  await hooks.emit();
  const [message] = await receiver.until('/moved', 1);
  verifyIndependently(hook.secret, message!);
  verifyIndependently(body['secret'] as string, message!);
});

it('every secret signs until its own time, however often it is changed meanwhile', async () => {
  verifies('webhooks.rotate-secret');
  const hook = await hooks.create('/often', { events: ['execution.cancelled'] });
  const rotate = () =>
    server.call('POST', `/v1/webhooks/${hook.id}/rotate-secret`, { key: hooks.key });
  const secrets = [hook.secret];
  for (let i = 0; i < 3; i++) secrets.push((await rotate()).body['secret'] as string);
  const settings = { DATABASE_URL: server.databaseUrl, MILLRACE_DATA_DIR: dataDir };
  expect((await runCli(['secrets', 'rotate'], settings)).code).toBe(0);
  await hooks.emit({ event: 'execution.cancelled' });
  const [all] = await receiver.until('/often', 1);
  for (const secret of secrets) verifyIndependently(secret, all!);

  // The day of the first one is over, by the database's clock.
  await server.db.query(
    `update webhook_old_secrets set until = now() - interval '1 second'
     where until = (select min(until) from webhook_old_secrets where webhook_id = $1)`,
    [hook.id],
  );
  await hooks.emit({ event: 'execution.cancelled' });
  const [, fewer] = await receiver.until('/often', 2);
  expect(() => verifyIndependently(secrets[0]!, fewer!)).toThrow();
  for (const secret of secrets.slice(1)) verifyIndependently(secret, fewer!);
  await pruneWebhooks(server.db);
  const kept = 'select 1 from webhook_old_secrets where webhook_id = $1';
  expect((await server.db.query(kept, [hook.id])).rows).toHaveLength(2);

  // A delivery cannot carry any number of signatures.
  for (let i = 0; i < 8; i++) expect((await rotate()).status).toBe(200);
  await rotate();
  expectError(await rotate(), 'CONFLICT');
});

it('a secret that was moved to another webhook does not open, and the log says so', async () => {
  const [one, two] = [await hooks.create('/one'), await hooks.create('/two')];
  await server.db.query(
    `update webhooks set sealed_secret = (select sealed_secret from webhooks where id = $1)
     where id = $2`,
    [one.id, two.id],
  );
  await hooks.emit();
  await receiver.until('/one', 1);
  const { attempts } = await hooks.delivery(two.id, (each) => each.attempts.length > 0);
  expect(attempts[0]!.error).toContain('cannot be decrypted; rotate it');
  expect(receiver.on('/two')).toEqual([]);
  const path = `/v1/webhooks/${two.id}/rotate-secret`;
  const { body } = await server.call('POST', path, { key: hooks.key });
  await hooks.emit();
  const [message] = await receiver.until('/two', 1);
  verifyIndependently(body['secret'] as string, message!);
});

it('what is over for long is forgotten, with secrets that sign no more; the rest is kept', async () => {
  const hook = await hooks.create('/old', { events: ['execution.failed'] });
  const silent = await hooks.create('http://127.0.0.1:1/', { events: ['execution.failed'] });
  await hooks.emit({ event: 'execution.failed' });
  await hooks.emit({ event: 'execution.failed' });
  await receiver.until('/old', 2);
  await hooks.delivery(hook.id, ({ status }) => status === 'delivered');
  await hooks.delivery(silent.id, ({ attempts }) => attempts.length > 0);
  const [newer, older] = await hooks.deliveries(hook.id);
  await server.db.query(
    `update webhook_events set created_at = now() - interval '31 days' where id = $1`,
    [older!.eventId],
  );
  // An event is kept for as long as somebody still waits for it.
  await pruneWebhooks(server.db);
  expect(await hooks.deliveries(hook.id)).toHaveLength(2);
  await server.db.query(`update webhook_deliveries set status = 'failed' where event_id = $1`, [
    older!.eventId,
  ]);
  await server.db.query(
    `insert into webhook_old_secrets (webhook_id, sealed_secret, until)
     select id, sealed_secret, now() - interval '1 second' from webhooks where id = $1`,
    [hook.id],
  );
  await pruneWebhooks(server.db);
  expect((await hooks.deliveries(hook.id)).map(({ id }) => id)).toEqual([newer!.id]);
  const { rows } = await server.db.query(
    'select 1 from webhook_old_secrets where webhook_id = $1',
    [hook.id],
  );
  expect(rows).toEqual([]);
});
