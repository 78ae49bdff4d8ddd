import { randomInt } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../support/verifies.ts';
import { useKeyServer } from './key-server.ts';

const context = useKeyServer();
beforeEach(() => context().vendors.reset());

const RAW = 'zz-sealed-key-of-somebody-0000000001';

async function userWithKey(provider: 'anthropic' | 'openrouter' = 'anthropic', raw = RAW) {
  const { server, store } = context();
  const { key, email } = await server.createKey();
  expect((await store(key, provider, raw)).status).toBe(201);
  return { key, userId: await server.userId(email) };
}

async function sealedOf(userId: string, provider = 'anthropic'): Promise<string> {
  const { rows } = await context().server.db.query<{ sealed: string }>(
    'select sealed from provider_keys where user_id = $1 and provider = $2',
    [userId, provider],
  );
  return rows[0]!.sealed;
}

async function plant(userId: string, sealed: string, provider = 'anthropic'): Promise<void> {
  await context().server.db.query(
    'update provider_keys set sealed = $3 where user_id = $1 and provider = $2',
    [userId, provider, sealed],
  );
}

/** Neither the job nor the test of the key uses or shows what lies in the row. */
async function expectUnusable(
  key: string,
  provider: 'anthropic' | 'openrouter' = 'anthropic',
): Promise<void> {
  const { server, vendors } = context();
  vendors.reset();
  const job = await context().run(key, { provider });
  expect(job).toMatchObject({
    status: 'failed',
    errorCode: 'NO_PROVIDER_KEY',
    error: expect.stringMatching(/cannot be decrypted; store it again/),
    tokensUsed: { input: 0, output: 0 },
  });
  const tested = await server.call('POST', `/api/v1/keys/${provider}/test`, { key });
  expect(tested.status).toBe(200);
  expect(tested.body).toEqual({
    provider,
    valid: false,
    reason: expect.stringContaining('store it again'),
  });
  expect(vendors.calls()).toEqual([]);
  expect(JSON.stringify([job, tested.body]) + server.logs()).not.toContain(RAW);
}

describe('a stored key', () => {
  it("moved into another user's row opens for nobody there", async () => {
    verifies('provider-keys.bound', 'provider-keys.encrypted');
    const [victim, thief] = [
      await userWithKey(),
      await userWithKey('anthropic', 'thief-key-00000'),
    ];
    const own = await sealedOf(thief.userId);
    await plant(thief.userId, await sealedOf(victim.userId));
    await expectUnusable(thief.key);
    await plant(thief.userId, own);
    expect(await context().run(thief.key, { provider: 'anthropic' })).toMatchObject({
      status: 'completed',
    });
    expect(context().vendors.calls().at(-1)!.key).toBe('thief-key-00000');
  });

  it("moved into another provider's row of the same user does not open", async () => {
    verifies('provider-keys.bound');
    const user = await userWithKey();
    await context().store(user.key, 'openrouter', 'another-key-00000');
    await plant(user.userId, await sealedOf(user.userId), 'openrouter');
    await expectUnusable(user.key, 'openrouter');
  });

  it('that was damaged fails the job in order; storing it again mends it', async () => {
    const user = await userWithKey();
    const sealed = await sealedOf(user.userId);
    const damaged = [
      'nonsense',
      '',
      sealed.slice(0, -4),
      sealed.replace(/^v1\.\w+\./, 'v1.nobody.'),
      sealed.replace('v1.', 'v9.'),
    ];
    for (const text of damaged) {
      await plant(user.userId, text);
      await expectUnusable(user.key);
    }
    expect((await context().store(user.key, 'anthropic', RAW)).status).toBe(200);
    expect(await context().run(user.key, { provider: 'anthropic' })).toMatchObject({
      status: 'completed',
    });
  });

  it('with any bit of its stored text changed is refused', async () => {
    verifies('provider-keys.encrypted');
    const { server, vendors } = context();
    const user = await userWithKey();
    const bytes = Buffer.from(await sealedOf(user.userId));
    vendors.reset();
    for (let n = 0; n < 60; n++) {
      const changed = Buffer.from(bytes);
      const at = randomInt(bytes.length);
      // The eighth bit would make it something that the database cannot hold.
      changed[at] = changed[at]! ^ (1 << randomInt(7));
      if (changed.includes(0)) continue;
      await plant(user.userId, changed.toString());
      const tested = await server.call('POST', '/api/v1/keys/anthropic/test', { key: user.key });
      expect(tested.body, changed.toString()).toMatchObject({ valid: false });
    }
    expect(vendors.calls()).toEqual([]);
  });

  it('has a data key and a text of its own each time it is stored', async () => {
    verifies('provider-keys.envelope');
    const [one, two] = [await userWithKey(), await userWithKey()];
    const [first, second] = [await sealedOf(one.userId), await sealedOf(two.userId)];
    const [firstParts, secondParts] = [first.split('.'), second.split('.')];
    expect(firstParts.slice(0, 2)).toEqual(secondParts.slice(0, 2));
    expect(firstParts[2]).not.toBe(secondParts[2]);
    expect(firstParts[3]).not.toBe(secondParts[3]);
    const { rows } = await context().server.db.query<{ id: string }>(
      'select master_key_id as id from provider_keys where user_id = $1',
      [one.userId],
    );
    expect(rows[0]!.id).toBe(firstParts[1]);
  });
});
