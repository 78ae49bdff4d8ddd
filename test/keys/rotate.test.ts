import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seal } from '../../src/platform/envelope.ts';
import { newId } from '../../src/platform/ids.ts';
import { keyringFromFolder, keyringFromText } from '../../src/platform/keyring.ts';
import { rewrapAll } from '../../src/services/provider-keys/secrets.ts';
import { providerKeyBinding } from '../../src/store/accounts/sealed-secrets.ts';
import { runCli } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { MODELS, vendorUrls } from './key-server.ts';

const newKey = () => randomBytes(32).toString('base64');
const ROTATIONS = 3;
const PROVIDERS = ['anthropic', 'openai', 'google', 'openrouter'] as const;
/** Together more than one batch. */
const OTHER_USERS = 55;

let vendors: VendorServer;
let dataDir: string;
const servers: TestServer[] = [];

beforeAll(async () => {
  vendors = await startVendorServer();
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-rotate-'));
  const settings = { baseUrls: vendorUrls(vendors), masterKey: undefined, dataDir };
  servers.push(await startTestServer(settings));
  servers.push(await startTestServer(settings, servers[0]!.databaseUrl));
});
afterAll(async () => {
  for (const server of servers.toReversed()) await server.close();
  await vendors?.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface Rotated {
  masterKeyId: string;
  rewrapped: number;
  unreadable: number;
  removed: string[];
}

async function rotate(folder = dataDir): Promise<Rotated> {
  const settings = { DATABASE_URL: servers[0]!.databaseUrl, MILLRACE_DATA_DIR: folder };
  const { code, stdout, stderr } = await runCli(['secrets', 'rotate', '--json'], settings);
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout) as Rotated;
}

function fileIds(): string[] {
  const text = readFileSync(join(dataDir, 'master-keys.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { keys: object }).keys);
}

async function idsInUse(): Promise<string[]> {
  const { rows } = await servers[0]!.db.query<{ id: string }>(
    `select master_key_id as id from provider_keys union
     select split_part(sealed, '.', 2) from provider_keys union
     select split_part(sealed_key, '.', 2) from jobs where sealed_key is not null`,
  );
  return rows.map(({ id }) => id);
}

async function storeMany(): Promise<void> {
  const keys = keyringFromFolder(dataDir);
  const { db } = servers[0]!;
  for (let n = 0; n < OTHER_USERS; n++) {
    const { email } = await servers[0]!.createKey();
    const userId = await servers[0]!.userId(email);
    const teamId = await servers[0]!.teamId(email);
    for (const provider of PROVIDERS) {
      const sealed = seal(keys, `zz-key-${n}-${provider}`, providerKeyBinding(userId, provider));
      await db.query(
        `insert into provider_keys (user_id, provider, sealed, master_key_id, masked, valid, team_id)
         values ($1, $2, $3, $4, 'zz-...', true, $5)`,
        [userId, provider, sealed, sealed.split('.')[1], teamId],
      );
    }
  }
}

it('moves every secret under a new key while servers serve, and no job fails', async () => {
  verifies('provider-keys.rotate', 'provider-keys.envelope');
  await storeMany();
  const stored = await servers[0]!.createKey();
  const capped = await servers[0]!.createKey({ tier: 'pro' });
  const raw = { stored: 'zz-stored-key-0000001', request: 'zz-request-key-000001' };
  const body = { provider: 'anthropic', key: raw.stored, tosAccepted: true };
  const answer = await servers[0]!.call('POST', '/api/v1/keys', { key: stored.key, body });
  expect(answer.status).toBe(201);

  let rotating = true;
  let submitted = 0;
  const load = async (server: TestServer, key: string, headers: Record<string, string>) => {
    for (let n = 0; rotating && n < 400; n++) {
      const { status, body: reply } = await server.call('POST', '/api/v1/execute', {
        key,
        headers,
        body: {
          streamId: 'api',
          model: MODELS.anthropic,
          maxTokens: 50,
          prompt: `[[vendor:reply chunks=4 pace=20]] ${n}`,
        },
      });
      expect(status, JSON.stringify(reply)).toBe(202);
      submitted += 1;
      await delay(50);
    }
  };
  // Waits above its owner's cap, so that what was sealed before a rotation is opened after it.
  const waiting = async () => {
    for (let n = 0; n < 50; n++) {
      const { status } = await servers[n % 2]!.call('POST', '/api/v1/execute', {
        key: capped.key,
        headers: { 'x-provider-key': raw.request },
        body: {
          streamId: 'api',
          model: MODELS.anthropic,
          maxTokens: 50,
          prompt: `[[vendor:reply chunks=10 pace=100]] ${n}`,
        },
      });
      expect(status).toBe(202);
      submitted += 1;
    }
  };
  const rotations = async () => {
    const results: Rotated[] = [];
    for (let n = 0; n < ROTATIONS; n++) results.push(await rotate());
    rotating = false;
    return results;
  };
  const [results] = await Promise.all([
    rotations(),
    waiting(),
    load(servers[0]!, stored.key, {}),
    load(servers[1]!, stored.key, {}),
    load(servers[0]!, stored.key, { 'x-provider-key': raw.request }),
    load(servers[1]!, stored.key, { 'x-provider-key': raw.request }),
  ]);
  const counts = async () => {
    const { rows } = await servers[0]!.db.query<{ status: string; count: number }>(
      'select status, count(*)::int as count from jobs group by status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };
  await waitUntil(async () => {
    const now = await counts();
    return (now['pending'] ?? 0) + (now['running'] ?? 0) === 0;
  }, 'all jobs to end');
  expect(await counts()).toEqual({ completed: submitted });
  expect(submitted).toBeGreaterThan(54);
  for (const { rewrapped, unreadable } of results) {
    expect(rewrapped).toBeGreaterThan(PROVIDERS.length * OTHER_USERS);
    expect(unreadable).toBe(0);
  }
  const used = new Set(vendors.calls().map((call) => call.key));
  expect(used).toEqual(new Set([raw.request, raw.stored]));

  // A sealing that began before the last rotation may have ended after it.
  const last = await rotate();
  expect(await idsInUse()).toEqual([last.masterKeyId]);
  expect(fileIds()).toEqual([results.at(-1)!.masterKeyId, last.masterKeyId]);
  const { rows } = await servers[0]!.db.query('select 1 from jobs where sealed_key is not null');
  expect(rows).toEqual([]);
});

it('goes on past a damaged secret and says how many there are', async () => {
  verifies('provider-keys.rotate');
  const { db } = servers[0]!;
  await db.query(
    `update provider_keys set sealed = left(sealed, -3) || 'AAA', master_key_id = 'x'
     where user_id = (select min(user_id) from provider_keys) and provider = 'openai'`,
  );
  await db.query(
    `update provider_keys set sealed = replace(sealed, split_part(sealed, '.', 3), 'AAAA')
     where user_id = (select min(user_id) from provider_keys) and provider = 'google'`,
  );
  const settings = { DATABASE_URL: servers[0]!.databaseUrl, MILLRACE_DATA_DIR: dataDir };
  const shown = await runHere(['secrets', 'rotate'], settings);
  expect(shown.code).toBe(0);
  expect(shown.stderr).toMatch(/^1 secrets are damaged/);
  expect(shown.stdout).toMatch(/^\d{3} secrets are now encrypted with the master key \w{12}\./);
});

it('by two operators at the same time loses nothing', async () => {
  await servers[0]!.db.query(`delete from provider_keys where sealed like '%.AAAA.%'`);
  const results = await Promise.all([rotate(), rotate()]);
  expect(results.map(({ unreadable }) => unreadable)).toEqual([0, 0]);
  const active = keyringFromFolder(dataDir).active().id;
  expect(results.map(({ masterKeyId }) => masterKeyId)).toContain(active);
  const inUse = await idsInUse();
  for (const id of inUse) expect(fileIds()).toContain(id);
  await rotate();
  expect(await idsInUse()).toEqual([keyringFromFolder(dataDir).active().id]);
});

it('takes no secret for damaged that another rotation has moved meanwhile, and removed its key', async () => {
  const [active, known, removed] = [newKey(), newKey(), newKey()];
  const { db } = servers[0]!;
  await db.query('delete from provider_keys');
  const insert = async (masterKey: string) => {
    const email = `${newId('user')}@example.com`;
    await servers[0]!.createKey({ email });
    const userId = await servers[0]!.userId(email);
    const teamId = await servers[0]!.teamId(email);
    const binding = providerKeyBinding(userId, 'openai');
    const sealed = seal(keyringFromText(masterKey), 'zz-key', binding);
    await db.query(
      `insert into provider_keys (user_id, provider, sealed, master_key_id, masked, valid, team_id)
       values ($1, 'openai', $2, $3, 'zz-...', true, $4)`,
      [userId, sealed, sealed.split('.')[1], teamId],
    );
    return { userId, underActive: seal(keyringFromText(active), 'zz-key', binding) };
  };
  const [slow, moved] = [await insert(known), await insert(removed)];
  // The rotation has read both, and waits for the first.
  const held = Promise.withResolvers<void>();
  const holding = db.tx(async (tx) => {
    await tx.query('select 1 from provider_keys where user_id = $1 for update', [slow.userId]);
    await held.promise;
    await tx.query('update provider_keys set sealed = $2, master_key_id = $3 where user_id = $1', [
      moved.userId,
      moved.underActive,
      moved.underActive.split('.')[1],
    ]);
  });
  const rotating = rewrapAll(servers[1]!.db, keyringFromText(`${active},${known}`));
  await waitUntil(async () => {
    const waits = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return (await db.query(waits)).rowCount;
  }, 'the rotation to wait');
  held.resolve();
  await holding;
  expect(await rotating).toEqual({ rewrapped: 1, unreadable: 0 });
});

it('in a folder without the keys refuses, and makes none there', async () => {
  const folder = join(dataDir, 'elsewhere');
  const settings = { DATABASE_URL: servers[0]!.databaseUrl, MILLRACE_DATA_DIR: folder };
  const refused = await runHere(['secrets', 'rotate', '--json'], settings);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'MASTER_KEY_MISMATCH' } });
  expect(existsSync(folder)).toBe(false);
});
