// Whether a key has expired is judged by the database's clock: nodes may go wrong by hours.
import { afterEach, expect, it, vi } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const HOUR_MS = 3_600_000;

const server = useServer();
afterEach(() => vi.useRealTimers());

/** The server runs in this process: its clock, and only its clock, is off. */
function setClock(offMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
}

const look = (key: string) => server().call('GET', '/api/v1/history', { key });

async function expireIn(keyId: string, interval: string): Promise<void> {
  await server().db.query(`update api_keys set expires_at = now() + $2::interval where id = $1`, [
    keyId,
    interval,
  ]);
}

it('a node whose clock is ahead accepts a key that is still good', async () => {
  verifies('auth.expired.clock');
  const { key, id } = await server().createKey();
  await expireIn(id, '30 minutes');
  setClock(HOUR_MS);
  expect((await look(key)).status).toBe(200);
});

it('a node whose clock is behind refuses a key that has expired', async () => {
  verifies('auth.expired.clock');
  const { key, id } = await server().createKey();
  await expireIn(id, '-30 minutes');
  setClock(-HOUR_MS);
  const error = expectError(await look(key), 'UNAUTHORIZED') as unknown as { message: string };
  expect(error.message).toMatch(/expired/);
});

it('a key that was just used expires on time, not when the node forgets it', async () => {
  const { key, id } = await server().createKey();
  await expireIn(id, '1 second');
  expect((await look(key)).status).toBe(200);
  await waitUntil(async () => {
    const { rows } = await server().db.query(
      'select 1 from api_keys where id = $1 and expires_at <= now()',
      [id],
    );
    return rows.length === 1;
  }, 'the end of the key');
  expectError(await look(key), 'UNAUTHORIZED');
});
