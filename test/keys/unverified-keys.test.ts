import { beforeEach, describe, expect, it } from 'vitest';
import { startTestServer } from '../support/server.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { useKeyServer } from './key-server.ts';

const context = useKeyServer();
beforeEach(() => context().vendors.reset());

const RAW = 'sk-ant-unverified-0000000001234';

async function validInTable(email: string): Promise<boolean | undefined> {
  const { rows } = await context().server.db.query<{ valid: boolean }>(
    `select k.valid from provider_keys k join users u on u.id = k.user_id where u.email = $1`,
    [email],
  );
  return rows[0]?.valid;
}

describe('a key that the provider cannot be asked about', () => {
  it.each([
    'http-500',
    'http-502-html',
    'http-503',
    'http-529',
    'reset-before-headers',
    'redirect',
  ])(
    '(%s) is stored as not yet valid, and turns valid with the first job that succeeds',
    async (fault) => {
      verifies('provider-keys.unreachable', 'provider-keys.valid');
      const { vendors, server } = context();
      vendors.script({ vendor: 'anthropic', path: '/models', fault: fault as 'http-500' });
      const { key, email } = await server.createKey();
      const stored = await context().store(key, 'anthropic', RAW);
      expect(stored).toMatchObject({ status: 201, body: { valid: false } });
      expect(await validInTable(email)).toBe(false);
      const job = await context().run(key, { provider: 'anthropic' });
      expect(job).toMatchObject({ status: 'completed' });
      expect(vendors.calls().at(-1)).toMatchObject({ method: 'POST', key: RAW });
      expect(await validInTable(email)).toBe(true);
    },
  );

  it('is never sent on to where the provider points', async () => {
    const { vendors, server } = context();
    vendors.script({ vendor: 'openai', path: '/models', fault: 'redirect' });
    const { key } = await server.createKey();
    const stored = await context().store(key, 'openai', 'sk-redirected-00000001');
    expect(stored).toMatchObject({ status: 201, body: { valid: false } });
    expect(vendors.calls().map((call) => call.path)).toEqual(['/openai/v1/models']);
  });

  it('is stored when the provider does not answer within ten seconds, and no later', async () => {
    verifies('provider-keys.tested', 'provider-keys.unreachable');
    const { vendors, server } = context();
    vendors.script({ vendor: 'google', path: '/models', fault: 'hang-before-headers' });
    const { key } = await server.createKey();
    const startedAt = Date.now();
    const stored = await context().store(key, 'google', 'AIza-hanging-000000000');
    expect(stored).toMatchObject({ status: 201, body: { valid: false } });
    // The scripted provider would never have answered.
    expect(Date.now() - startedAt).toBeGreaterThan(9_000);
    await waitUntil(() => vendors.calls()[0]!.clientClosedAt, 'the connection to be given up');
  });

  it('is stored when nothing listens at the address of the provider', async () => {
    verifies('provider-keys.unreachable');
    const lonely = await startTestServer({
      role: 'api',
      baseUrls: { anthropic: 'http://127.0.0.1:1/v1' },
    });
    try {
      const { key } = await lonely.createKey();
      const body = { provider: 'anthropic', key: RAW, tosAccepted: true };
      const stored = await lonely.call('POST', '/api/v1/keys', { key, body });
      expect(stored).toMatchObject({ status: 201, body: { valid: false } });
      const tested = await lonely.call('POST', '/api/v1/keys/anthropic/test', { key });
      expect(tested.body).toEqual({ provider: 'anthropic', valid: false, reason: 'unreachable' });
    } finally {
      await lonely.close();
    }
  });

  it('stays not valid when the provider rejects it at its first use, and the job says so', async () => {
    verifies('provider-keys.unreachable');
    const { vendors, server } = context();
    vendors.script({ vendor: 'anthropic', path: '/models', fault: 'http-503' });
    const { key, email } = await server.createKey();
    await context().store(key, 'anthropic', RAW);
    vendors.setKeys('anthropic', []);
    const job = await context().run(key, { provider: 'anthropic' });
    expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_AUTH' });
    expect(await validInTable(email)).toBe(false);
    vendors.setKeys('anthropic', [RAW]);
    expect(await context().run(key, { provider: 'anthropic' })).toMatchObject({
      status: 'completed',
    });
    expect(await validInTable(email)).toBe(true);
  });

  it('turns not valid when the provider takes back a key that was', async () => {
    const { vendors, server } = context();
    const { key, email } = await server.createKey();
    await context().store(key, 'anthropic', RAW);
    expect(await validInTable(email)).toBe(true);
    vendors.setKeys('anthropic', []);
    await context().run(key, { provider: 'anthropic' });
    expect(await validInTable(email)).toBe(false);
  });
});
