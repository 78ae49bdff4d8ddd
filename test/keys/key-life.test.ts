import { beforeEach, describe, expect, it } from 'vitest';
import { PUBLIC_PROVIDERS } from '../../src/domain/model/model-routing.ts';
import { expectError } from '../support/expect-error.ts';
import { verifies } from '../support/verifies.ts';
import { detailOf, useKeyServer } from './key-server.ts';

const context = useKeyServer();
beforeEach(() => context().vendors.reset());

const KEYS = {
  anthropic: ['sk-ant-api03-life-000000000a1b2', 'sk-ant-...a1b2'],
  openai: ['sk-proj-life-0000000000000c3d4', 'sk-proj-...c3d4'],
  google: ['AIzaSyLife-00000000000000e5f6', 'AIza...e5f6'],
  openrouter: ['sk-or-v1-life-000000000000a7b8', 'sk-or-...a7b8'],
} as const;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

const newUser = async () => (await context().server.createKey()).key;

async function listed(key: string): Promise<unknown> {
  const { status, body } = await context().server.call('GET', '/api/v1/keys', { key });
  expect(status).toBe(200);
  return body;
}

describe('storing a key', () => {
  it.each(PUBLIC_PROVIDERS)('of %s answers 201 and lists it masked', async (provider) => {
    verifies(
      'provider-keys.store',
      'provider-keys.store.status',
      'provider-keys.fields',
      'provider-keys.list',
      'provider-keys.valid',
      'provider-keys.masked',
      'provider-keys.never-returned',
      'provider-keys.tested',
      'providers.names',
    );
    const { vendors, server } = context();
    const [raw, maskedKey] = KEYS[provider];
    vendors.setKeys(provider, [raw]);
    const key = await newUser();
    expect(await listed(key)).toEqual({ keys: [] });
    const stored = await context().store(key, provider, raw);
    expect(stored.status).toBe(201);
    expect(stored.body).toEqual({ provider, maskedKey, valid: true, createdAt: TIME });
    expect(await listed(key)).toEqual({ keys: [{ provider, maskedKey, createdAt: TIME }] });
    // One question, and not one that a model has to answer.
    const calls = vendors.calls({ vendor: provider });
    expect(calls.map((call) => [call.method, call.key])).toEqual([['GET', raw]]);
    expect(calls[0]!.path).not.toContain(raw);
    const { rows } = await server.db.query<{ row: string }>(
      'select provider_keys::text as row from provider_keys',
    );
    expect(rows.map(({ row }) => row).join()).not.toContain(raw);
  });

  it('again answers 200 and replaces the one before', async () => {
    verifies('provider-keys.store.status');
    const key = await newUser();
    expect((await context().store(key, 'openai', 'sk-first-000000001111')).status).toBe(201);
    const again = await context().store(key, 'openai', 'sk-second-00000002222');
    expect(again).toMatchObject({ status: 200, body: { maskedKey: 'sk-...2222', valid: true } });
    expect(await listed(key)).toMatchObject({ keys: [{ maskedKey: 'sk-...2222' }] });
    await context().run(key, { provider: 'openai' });
    expect(context().vendors.calls().at(-1)!.key).toBe('sk-second-00000002222');
  });

  it('by several requests at the same time keeps one of them', async () => {
    const key = await newUser();
    const raws = Array.from({ length: 8 }, (_, n) => `sk-race-00000000000${n}abc${n}`);
    const answers = await Promise.all(raws.map((raw) => context().store(key, 'openai', raw)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(await listed(key)).toMatchObject({ keys: [{ provider: 'openai' }] });
  });

  it('takes gemini as another name of google, and blanks around the key', async () => {
    verifies('providers.gemini-alias');
    const key = await newUser();
    const [raw, maskedKey] = KEYS.google;
    context().vendors.setKeys('google', [raw]);
    const stored = await context().store(key, 'gemini', ` ${raw}\n`);
    expect(stored).toMatchObject({ status: 201, body: { provider: 'google', maskedKey } });
    const tested = await context().server.call('POST', '/api/v1/keys/gemini/test', { key });
    expect(tested.body).toEqual({ provider: 'google', valid: true });
    const deleted = await context().server.call('DELETE', '/api/v1/keys/gemini', { key });
    expect(deleted.body).toEqual({ deleted: true, provider: 'google' });
  });

  it.each(PUBLIC_PROVIDERS)(
    'that %s rejects is refused; an earlier one stays',
    async (provider) => {
      verifies('provider-keys.rejected', 'provider-keys.tested');
      const [raw, maskedKey] = KEYS[provider];
      context().vendors.setKeys(provider, [raw]);
      const key = await newUser();
      const wrong = `${raw.slice(0, -4)}zzzz`;
      const refused = await context().store(key, provider, wrong);
      expectError(refused, 'VALIDATION_ERROR');
      expect(detailOf(refused)).toMatchObject({ path: 'key', code: 'PROVIDER_REJECTED_KEY' });
      expect(JSON.stringify(refused.body)).not.toContain(wrong);
      expect(await listed(key)).toEqual({ keys: [] });
      expect((await context().store(key, provider, raw)).status).toBe(201);
      expectError(await context().store(key, provider, wrong), 'VALIDATION_ERROR');
      expect(await listed(key)).toMatchObject({ keys: [{ maskedKey }] });
    },
  );

  it('that may call models but not list them, or is told to slow down, is valid', async () => {
    verifies('provider-keys.restricted');
    const { vendors } = context();
    const key = await newUser();
    const raw = 'sk-restricted-000000009999';
    vendors.setKeys('openai', [{ key: raw, restricted: true }]);
    const restricted = await context().store(key, 'openai', raw);
    expect(restricted).toMatchObject({ status: 201, body: { valid: true } });
    vendors.script({ vendor: 'anthropic', path: '/models', fault: 'http-403', times: 1 });
    const narrow = await context().store(key, 'anthropic', KEYS.anthropic[0]);
    expect(narrow).toMatchObject({ status: 201, body: { valid: true } });
    vendors.script({ vendor: 'anthropic', path: '/models', fault: 'http-429' });
    const slow = await context().store(key, 'anthropic', KEYS.anthropic[0]);
    expect(slow).toMatchObject({ status: 200, body: { valid: true } });
  });

  it.each([undefined, false, 'true', 1, null, {}])(
    'with tosAccepted %j is refused before anybody is asked',
    async (tosAccepted) => {
      verifies('provider-keys.tos');
      const key = await newUser();
      const refused = await context().store(key, 'openai', 'sk-terms-0000000000', { tosAccepted });
      expectError(refused, 'VALIDATION_ERROR');
      expect(detailOf(refused)).toMatchObject({ path: 'tosAccepted', code: 'TOS_NOT_ACCEPTED' });
      expect(context().vendors.calls()).toEqual([]);
      expect(await listed(key)).toEqual({ keys: [] });
    },
  );

  it.each(['', 'short', 'with blank inside', 'ümlaut-key-000', 'x'.repeat(501), 7, null])(
    'refuses %j as a key',
    async (raw) => {
      const refused = await context().store(await newUser(), 'openai', raw);
      expectError(refused, 'VALIDATION_ERROR');
      expect(detailOf(refused).path).toBe('key');
      expect(context().vendors.calls()).toEqual([]);
    },
  );
});

describe('a provider that is not known', () => {
  it.each(['mistral', 'simulator', '', '__proto__', 'OpenAI '.repeat(20)])(
    'such as %j is refused with the four names',
    async (name) => {
      verifies('provider-keys.unknown-provider', 'providers.names');
      const key = await newUser();
      const encoded = encodeURIComponent(name || 'none');
      const answers = [
        await context().store(key, name, 'sk-unknown-000000000'),
        await context().server.call('DELETE', `/api/v1/keys/${encoded}`, { key }),
        await context().server.call('POST', `/api/v1/keys/${encoded}/test`, { key }),
      ];
      for (const answer of answers) {
        expectError(answer, 'VALIDATION_ERROR');
        expect(detailOf(answer)).toMatchObject({ path: 'provider', code: 'UNKNOWN_PROVIDER' });
        for (const known of PUBLIC_PROVIDERS) expect(detailOf(answer).message).toContain(known);
      }
    },
  );
});

describe('deleting a key', () => {
  it('says whether there was one', async () => {
    verifies('provider-keys.delete', 'provider-keys.delete.none', 'http.success.deleted');
    const key = await newUser();
    const remove = () => context().server.call('DELETE', '/api/v1/keys/openai', { key });
    const none = await remove();
    expect([none.status, none.body]).toEqual([200, { deleted: false, provider: 'openai' }]);
    await context().store(key, 'openai', 'sk-delete-00000000000');
    expect((await remove()).body).toEqual({ deleted: true, provider: 'openai' });
    expect((await remove()).body).toEqual({ deleted: false, provider: 'openai' });
    expect(await listed(key)).toEqual({ keys: [] });
  });

  it("leaves other users' keys alone, and shows nobody another's", async () => {
    const [mine, theirs] = [await newUser(), await newUser()];
    await context().store(mine, 'openai', 'sk-mine-0000000000001');
    expect(await listed(theirs)).toEqual({ keys: [] });
    const remove = (key: string) => context().server.call('DELETE', '/api/v1/keys/openai', { key });
    expect((await remove(theirs)).body).toMatchObject({ deleted: false });
    const tested = await context().server.call('POST', '/api/v1/keys/openai/test', { key: theirs });
    expectError(tested, 'NOT_FOUND');
    expect(await listed(mine)).toMatchObject({ keys: [{ maskedKey: 'sk-...0001' }] });
  });
});

describe('testing a stored key', () => {
  it('tells what the provider says now', async () => {
    verifies('provider-keys.valid');
    const { vendors, server } = context();
    const key = await newUser();
    const raw = 'sk-tested-00000000000';
    const test = async () => (await server.call('POST', '/api/v1/keys/openai/test', { key })).body;
    await context().store(key, 'openai', raw);
    expect(await test()).toEqual({ provider: 'openai', valid: true });
    vendors.setKeys('openai', []);
    expect(await test()).toEqual({
      provider: 'openai',
      valid: false,
      reason: 'rejected by the provider',
    });
    vendors.script({ vendor: 'openai', fault: 'http-503', times: 1 });
    vendors.setKeys('openai', 'any');
    expect(await test()).toEqual({ provider: 'openai', valid: false, reason: 'status 503' });
    expect(await test()).toEqual({ provider: 'openai', valid: true });
  });
});

describe('the scope', () => {
  it('"keys" is needed, and enough', async () => {
    const { server } = context();
    const email = 'scoped@example.com';
    const narrow = await server.createKey({ email, scopes: ['jobs', 'history'] });
    const right = await server.createKey({ email, scopes: ['keys'] });
    const calls = [
      ['GET', '/api/v1/keys'],
      ['DELETE', '/api/v1/keys/openai'],
    ] as const;
    for (const [method, path] of calls) {
      const refused = await server.call(method, path, { key: narrow.key });
      expect(expectError(refused, 'FORBIDDEN').message).toContain('"keys"');
      expect((await server.call(method, path, { key: right.key })).status).toBe(200);
    }
    expectError(await context().store(narrow.key, 'openai', 'sk-scope-00000000'), 'FORBIDDEN');
    expect((await context().store(right.key, 'openai', 'sk-scope-00000000')).status).toBe(201);
    const path = '/api/v1/keys/openai/test';
    expectError(await server.call('POST', path, { key: narrow.key }), 'FORBIDDEN');
    expect((await server.call('POST', path, { key: right.key })).status).toBe(200);
    expectError(await context().execute(right.key, { provider: 'openai' }), 'FORBIDDEN');
  });
});
