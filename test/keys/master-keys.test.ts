import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startServe } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { sendGithub } from '../triggers/triggers.ts';
import { createTestDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { MODELS, vendorSettings, vendorUrls } from './key-server.ts';

/** Its signatures need the secret itself. */
const TRIGGER = {
  name: 'Fix',
  kind: 'github',
  repository: 'example/shop',
  events: ['push'],
  work: { project: 'shop', task: 'x' },
};
const RAW = 'zz-under-a-master-key-00000001';
const newKey = () => randomBytes(32).toString('base64');

let vendors: VendorServer;
let folder: string;
beforeAll(async () => {
  vendors = await startVendorServer();
  folder = await mkdtemp(join(tmpdir(), 'millrace-master-'));
});
afterAll(async () => {
  await vendors?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function withDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  try {
    await work(database.url);
  } finally {
    await database.drop();
  }
}

async function withServer<T>(
  url: string,
  keys: { masterKey: string | undefined; dataDir?: string },
  work: (server: TestServer) => Promise<T>,
): Promise<T> {
  const baseUrls = vendorUrls(vendors);
  const server = await startTestServer({ baseUrls, ...keys }, url);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

async function storeKey(server: TestServer): Promise<string> {
  const { key } = await server.createKey();
  const body = { provider: 'anthropic', key: RAW, tosAccepted: true };
  expect((await server.call('POST', '/api/v1/keys', { key, body })).status).toBe(201);
  return key;
}

async function expectWorks(server: TestServer, key: string): Promise<void> {
  const jobId = await server.submit(key, { model: MODELS.anthropic });
  expect(await server.finished(key, jobId)).toMatchObject({ status: 'completed' });
  expect(vendors.calls().at(-1)!.key).toBe(RAW);
}

describe('the file of master keys', () => {
  it('is made in the data folder when it is first needed, and used again', async () => {
    verifies('provider-keys.master-key');
    await withDatabase(async (url) => {
      const dataDir = join(folder, 'made');
      const file = join(dataDir, 'master-keys.json');
      const keys = { masterKey: undefined, dataDir };
      const key = await withServer(url, keys, async (server) => {
        expect(existsSync(file)).toBe(false);
        return storeKey(server);
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const before = readFileSync(file, 'utf8');
      await withServer(url, keys, (server) => expectWorks(server, key));
      expect(readFileSync(file, 'utf8')).toBe(before);
    });
  });
});

describe('MILLRACE_MASTER_KEY', () => {
  it('of a wrong length ends the start with 2 and one line that says what to do', async () => {
    verifies('provider-keys.master-key');
    const value = `${newKey()},nonsense`;
    const dataDir = join(folder, 'never');
    const settings = { MILLRACE_DATA_DIR: dataDir, MILLRACE_MASTER_KEY: value };
    for (const command of [
      ['serve', '--port', '0'],
      ['secrets', 'rotate'],
    ]) {
      const { code, stdout, stderr } = await runHere([...command, '--json'], settings);
      expect(code, stderr).toBe(2);
      expect(stdout.trim().split('\n')).toHaveLength(1);
      const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
      expect(error.code).toBe('CONFIG_INVALID');
      expect(error.message).toMatch(/^MILLRACE_MASTER_KEY must be 32 bytes.*openssl rand/);
      expect(error.message).not.toContain('\n');
      expect(stdout + stderr).not.toContain(value.slice(0, 20));
    }
    // Told before anything was started.
    expect(existsSync(dataDir)).toBe(false);
  });

  it('that does not open what is stored refuses to start, and nothing is lost', async () => {
    verifies('provider-keys.master-key', 'provider-keys.envelope');
    await withDatabase(async (url) => {
      const [right, wrong] = [newKey(), newKey()];
      const key = await withServer(url, { masterKey: right }, storeKey);
      const start = (settings: Record<string, string>) =>
        runCli(['serve', '--port', '0', '--json'], { DATABASE_URL: url, ...settings });
      const refused = [
        await start({ MILLRACE_MASTER_KEY: wrong }),
        await start({ MILLRACE_DATA_DIR: join(folder, 'empty') }),
      ];
      for (const { code, stdout, stderr } of refused) {
        expect(code, stderr).toBe(1);
        const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
        expect(error.code).toBe('MASTER_KEY_MISMATCH');
        expect(error.message).toMatch(/MILLRACE_MASTER_KEY.*master-keys\.json/);
        expect(stdout + stderr).not.toContain(right);
      }
      await withServer(url, { masterKey: right }, (server) => expectWorks(server, key));
      const both = await startServe(['--port', '0'], {
        DATABASE_URL: url,
        MILLRACE_MASTER_KEY: `${wrong},${Buffer.from(right, 'base64').toString('hex')}`,
        ...vendorSettings(vendors),
      });
      await both.kill('SIGTERM');
      expect(await both.ended).toBe(0);
    });
  });

  it('starts beside one damaged key', async () => {
    await withDatabase(async (url) => {
      const masterKey = newKey();
      await withServer(url, { masterKey }, async (server) => {
        await storeKey(server);
        await storeKey(server);
        await server.db.query(
          `update provider_keys set sealed = left(sealed, -3) || 'AAA'
           where user_id = (select min(user_id) from provider_keys)`,
        );
      });
      await withServer(url, { masterKey }, async () => undefined);
    });
  });
});

describe('secrets rotate with MILLRACE_MASTER_KEY', () => {
  it('explains what to do when there is one key, and moves everything when there are two', async () => {
    verifies('provider-keys.rotate');
    await withDatabase(async (url) => {
      const [old, fresh] = [newKey(), newKey()];
      const { key, trigger } = await withServer(url, { masterKey: old }, async (server) => {
        const owner = await storeKey(server);
        const made = await server.call('POST', '/v1/triggers', { key: owner, body: TRIGGER });
        return { key: owner, trigger: made.body as { id: string; secret: string } };
      });
      const rotate = (masterKey: string) =>
        runHere(['secrets', 'rotate', '--json'], {
          DATABASE_URL: url,
          MILLRACE_MASTER_KEY: masterKey,
        });
      const one = await rotate(old);
      expect(one.code).toBe(2);
      expect(one.stdout).toMatch(/in front of it, separated by a comma, restart every server/);
      const two = await rotate(`${fresh},${old}`);
      expect(two.code, two.stderr).toBe(0);
      expect(JSON.parse(two.stdout)).toMatchObject({ rewrapped: 2, unreadable: 0 });
      expect(JSON.parse((await rotate(`${fresh},${old}`)).stdout)).toMatchObject({ rewrapped: 0 });
      await withServer(url, { masterKey: fresh }, async (server) => {
        await expectWorks(server, key);
        expect((await sendGithub(server, trigger, 'ping', {})).status).toBe(200);
      });
    });
  });
});

describe('a master key that is lost', () => {
  it('is no longer asked for once its secrets are discarded, and they can be given again', async () => {
    verifies('provider-keys.master-key');
    await withDatabase(async (url) => {
      const [lost, now] = [newKey(), newKey()];
      const discard = (...flags: string[]) =>
        runHere(['secrets', 'discard', ...flags], {
          DATABASE_URL: url,
          MILLRACE_DATA_DIR: folder,
          MILLRACE_MASTER_KEY: now,
        });
      const { key, jobId } = await withServer(url, { masterKey: lost }, async (server) => {
        const owner = await storeKey(server);
        await server.call('POST', '/v1/triggers', { key: owner, body: TRIGGER });
        await server.call('POST', '/v1/webhooks', {
          key: owner,
          body: { url: 'https://hooks.example.com/', events: ['*'] },
        });
        const { body } = await server.call('POST', '/api/v1/execute', {
          key: owner,
          headers: { 'x-provider-key': 'zz-of-one-request-0000001' },
          body: {
            streamId: 'waits',
            model: MODELS.anthropic,
            maxTokens: 50,
            prompt: '[[vendor:reply first-delay=600000]]',
          },
        });
        // A server at work has the key: it is missing only where this was typed.
        const refused = await discard('--yes');
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain('A server is running on this database');
        return { key: owner, jobId: (body as { jobId: string }).jobId };
      });
      await expect(withServer(url, { masterKey: now }, async () => {})).rejects.toThrow(
        'millrace secrets discard',
      );
      const asked = await discard();
      expect(asked.code).toBe(2);
      expect(asked.stderr).toContain('This deletes 4 stored secrets');
      const done = await discard('--yes', '--json');
      expect(JSON.parse(done.stdout)).toEqual({
        providerKeys: 1,
        webhooks: 1,
        triggers: 1,
        jobs: 1,
      });
      expect((await discard('--yes')).stdout).toContain('nothing to discard');

      await withServer(url, { masterKey: now }, async (server) => {
        expect(await server.finished(key, jobId)).toMatchObject({ status: 'failed' });
        const list = await server.call('GET', '/api/v1/keys', { key });
        expect(JSON.stringify(list.body)).not.toContain('"masked"');
        const body = { provider: 'anthropic', key: RAW, tosAccepted: true };
        expect((await server.call('POST', '/api/v1/keys', { key, body })).status).toBe(201);
        await expectWorks(server, key);
      });
    });
  });
});
