// The time of an approval is over: while servers run, and while none does.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { expectError } from '../support/expect-error.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { PATIENT_MS } from '../support/database-mode.ts';
import { ask, find, resolve } from './ask.ts';

let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({}, database.url);
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
});

const DENIED = { status: 'denied', resolution: { by: null, expired: true } };

it('what nobody answers is denied, and answers come too late', async () => {
  verifies('approvals.expiry');
  const { key } = await server.createKey();
  const asked = await ask(server, key, { expiresInSeconds: 1 });
  expect(await find(server, key, asked.id, '?wait=60')).toMatchObject(DENIED);
  const late = expectError(await resolve(server, key, asked), 'CONFLICT');
  expect(late.message).toContain('Nobody answered');
  expect(late.details).toMatchObject({ status: 'denied', by: null });
});

it('what was due while no server was up is denied at the next start, and webhooks hear of it', async () => {
  verifies('approvals.expiry');
  const { key } = await server.createKey();
  const body = { url: 'https://hooks.invalid/', events: ['approval.resolved'] };
  await server.call('POST', '/v1/webhooks', { key, body });
  const asked = await ask(server, key);
  await server.close();
  const db = openDb({ url: database.url, poolSize: 1, silenceMs: PATIENT_MS });
  const read = async (text: string) => (await db.query<{ status: string }>(text, [asked.id])).rows;
  await read('update approvals set expires_at = now() where id = $1');
  expect(await read('select status from approvals where id = $1')).toEqual([{ status: 'open' }]);
  server = await startTestServer({}, database.url);
  await waitUntil(async () => {
    const [row] = await read('select status from approvals where id = $1');
    return row?.status === 'denied';
  });
  expect(await find(server, key, asked.id)).toMatchObject(DENIED);
  const events = await read(
    `select body::json #>> '{data,status}' as status from webhook_events
     where event = 'approval.resolved' and body::json #>> '{data,approvalId}' = $1`,
  );
  expect(events).toEqual([{ status: 'denied' }]);
  await db.close();
});

it('an answer after the time does not count, although nobody has ended it yet', async () => {
  const api = await startTestServer({ role: 'api' });
  const { key } = await api.createKey();
  const asked = await ask(api, key);
  await api.db.query('update approvals set expires_at = now() where id = $1', [asked.id]);
  expectError(await resolve(api, key, asked), 'CONFLICT');
  const open = await api.call('GET', '/v1/approvals?status=open', { key });
  expect(open.body['items']).toEqual([]);
  await api.close();
});
