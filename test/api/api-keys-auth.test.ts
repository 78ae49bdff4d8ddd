import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(2, { role: 'api' });
const server = () => nodes()[0]!;

const PATHS = [
  ['GET', '/api/v1/history'],
  ['GET', '/api/v1/history/x'],
  ['PUT', '/api/v1/history/x'],
  ['POST', '/api/v1/execute'],
  ['GET', '/api/v1/job/x'],
  ['GET', '/api/v1/job/x/events'],
  ['POST', '/api/v1/job/x/cancel'],
] as const;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksumOf(text: string): string {
  let [value, digits] = [crc32(text), ''];
  while (digits.length < 6) {
    digits = BASE62[value % 62]! + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** A key that nobody was given, with a checksum that is right. */
function inventedKey(): string {
  const body = `mill_sk_${'0123456789abcdefABCDEF'.repeat(2).slice(0, 32)}`;
  return body + checksumOf(body);
}

describe('a caller', () => {
  it('without a key is refused on every route, before the body is looked at', async () => {
    verifies('auth.missing');
    for (const [method, path] of PATHS) {
      const error = expectError(await server().call(method, path), 'UNAUTHORIZED');
      expect(error.message).toContain('X-API-Key');
    }
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Token x']) {
      const answer = await server().call('GET', '/api/v1/history', { headers: { authorization } });
      expectError(answer, 'UNAUTHORIZED');
    }
  });

  it('with a key that nobody has is refused', async () => {
    verifies('auth.invalid');
    for (const key of [inventedKey(), 'x', 'mill_sk_', `mill_sk_${'a'.repeat(38)}`]) {
      expectError(await server().call('GET', '/api/v1/history', { key }), 'UNAUTHORIZED');
    }
  });

  it('may send the key as X-API-Key or as Bearer', async () => {
    verifies('auth.api-key.header', 'auth.bearer', 'auth.both-forms');
    const { key } = await server().createKey();
    const forms = [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
    ];
    for (const headers of forms) {
      for (const [method, path] of PATHS) {
        const body = method === 'GET' || path.endsWith('cancel') ? undefined : {};
        const answer = await server().call(method, path, {
          headers,
          ...(body === undefined ? {} : { body }),
        });
        expect([200, 400, 404], `${method} ${path}`).toContain(answer.status);
      }
    }
  });

  it('with an expired key is refused', async () => {
    verifies('auth.expired');
    const fresh = await server().createKey({ expiresInDays: 1 });
    expect((await server().call('GET', '/api/v1/history', fresh)).status).toBe(200);
    const old = await server().createKey({ expiresInDays: 1 });
    await server().db.query(
      `update api_keys set expires_at = now() - interval '1 second' where id = $1`,
      [old.id],
    );
    const error = expectError(await server().call('GET', '/api/v1/history', old), 'UNAUTHORIZED');
    expect(error.message).toContain('expired');
  });

  it('with a revoked key is refused on every node', async () => {
    const { id, key } = await server().createKey();
    for (const node of nodes()) {
      expect((await node.call('GET', '/api/v1/history', { key })).status).toBe(200);
    }
    await server().revokeKey(id);
    for (const node of nodes()) {
      const refused = await waitUntil(async () => {
        const answer = await node.call('GET', '/api/v1/history', { key });
        return answer.status === 200 ? undefined : answer;
      });
      expect(expectError(refused, 'UNAUTHORIZED').message).toContain('revoked');
    }
  });

  it('of a suspended account is refused as such', async () => {
    verifies('auth.suspended');
    const { key, email } = await server().createKey();
    await server().db.query('update users set suspended_at = now() where email = $1', [email]);
    for (const [method, path] of PATHS) {
      expectError(await server().call(method, path, { key }), 'ACCOUNT_SUSPENDED');
    }
  });
});

describe('an API key', () => {
  it('is mill_sk_, 32 base62 characters and the checksum of both', async () => {
    verifies('auth.api-key.prefix', 'auth.api-key.shape');
    for (let i = 0; i < 20; i++) {
      const { key } = await server().createKey();
      expect(key).toMatch(/^mill_sk_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
      expect(key.slice(-6)).toBe(checksumOf(key.slice(0, -6)));
    }
  });

  it('with a wrong checksum is refused although its hash is known', async () => {
    verifies('auth.api-key.checksum');
    const { key, id } = await server().createKey();
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    // A look-up would find it now.
    await server().db.query('update api_keys set key_hash = $2 where id = $1', [
      id,
      createHash('sha256').update(wrong).digest(),
    ]);
    const answer = await server().call('GET', '/api/v1/history', { key: wrong });
    expect(expectError(answer, 'UNAUTHORIZED').message).toContain('malformed');
  });

  it('is in the database as a SHA-256 and nowhere in clear', async () => {
    verifies('auth.api-key.hashed');
    const { key, id } = await server().createKey();
    await server().submit(key);
    const { rows } = await server().db.query<{ key_hash: Buffer; row: string }>(
      'select key_hash, k::text as row from api_keys k where id = $1',
      [id],
    );
    expect(rows[0]?.key_hash.equals(createHash('sha256').update(key).digest())).toBe(true);
    expect(rows[0]?.row).not.toContain(key.slice(8, 40));
  });
});
