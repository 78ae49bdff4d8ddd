import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { fromRoot } from '../pins/tree.ts';
import { runCli, startServe } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import type { CliResult } from '../support/cli.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const cli = (...args: string[]) => runHere(args, { DATABASE_URL: database.url });
/** As a process of its own: what it exits with, and what it writes to which stream. */
const asProcess = (...args: string[]) => runCli(args, { DATABASE_URL: database.url });

/** The one document on standard output. */
function jsonOf({ stdout }: CliResult): Record<string, unknown> {
  expect(stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('api-keys create', () => {
  it('makes the account and a key, shown on standard output and only there', async () => {
    verifies('operator.exit.ok', 'config.database-url', 'auth.api-key.shown-once');
    const named = ['--email', 'one@example.com', '--name', 'laptop'];
    const made = await asProcess('api-keys', 'create', ...named);
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(key).toMatch(/^mill_sk_[0-9A-Za-z]{38}$/);
    expect(made.stderr).toContain('laptop');
    expect(made.stderr).not.toContain(key);
    const listed = await cli('api-keys', 'list', '--email', 'one@example.com');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('laptop');
    expect(listed.stdout).toContain('active');
    expect(listed.stdout).not.toContain(key);
    expect(listed.stdout).not.toContain(key.slice(12, -4));
    const json = jsonOf(await cli('api-keys', 'list', '--email', 'one@example.com', '--json'));
    expect(JSON.stringify(json)).not.toContain(key.slice(12, -4));
    expect(json).toMatchObject({
      items: [{ id: expect.stringMatching(/^key_/), name: 'laptop', revokedAt: null }],
    });
  });

  it('prints one document with --json', async () => {
    verifies('operator.json', 'limits.tier.default', 'limits.tier.setting');
    const args = ['api-keys', 'create', '--email', 'two@example.com', '--json'];
    const made = await cli(...args, '--scopes', 'jobs, history', '--expires-in-days', '30');
    expect(made.code).toBe(0);
    expect(jsonOf(made)).toEqual({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^mill_sk_/),
      name: 'default',
      email: 'two@example.com',
      tier: 'enterprise',
      scopes: ['jobs', 'history'],
    });
    const other = await runHere(['api-keys', 'create', '--email', 'three@example.com', '--json'], {
      DATABASE_URL: database.url,
      MILLRACE_DEFAULT_TIER: 'pro',
    });
    expect(jsonOf(other)).toMatchObject({ tier: 'pro' });
    // What manages keys and the server has to be asked for.
    const scopes = [
      'jobs',
      'models',
      'executions',
      'history',
      'keys',
      'webhooks',
      'teams',
      'billing',
      'approvals',
      'runs',
    ];
    expect(jsonOf(other)['scopes']).toEqual(scopes);
  });

  it('sets the tier of an account that it creates, never that of an existing one', async () => {
    verifies('operator.api-keys.tier');
    const create = (...more: string[]) =>
      cli('api-keys', 'create', '--email', 'tiered@example.com', '--json', ...more);
    expect(jsonOf(await create('--tier', 'trial'))).toMatchObject({ tier: 'trial' });
    expect(jsonOf(await create())).toMatchObject({ tier: 'trial' });
    const again = await create('--tier', 'team');
    expect(jsonOf(again)).toMatchObject({ tier: 'trial' });
    expect(again.stderr).toContain('its tier is still trial');
    expect(again.stderr).toContain('admin tier tiered@example.com team');
    expect((await create('--tier', 'trial')).stderr).toBe('');
  });

  it('refuses what makes no sense, with 2', async () => {
    verifies('operator.exit.usage', 'operator.json');
    const wrong: string[][] = [
      ['--email', 'nonsense'],
      ['--email', 'a@example.com', '--scopes', 'all'],
      ['--email', 'a@example.com', '--tier', 'gold'],
      ['--email', 'a@example.com', '--expires-in-days', '-1'],
      ['--email', 'a@example.com', '--unknown'],
      ['--email'],
    ];
    for (const args of wrong) {
      const plain = await cli('api-keys', 'create', ...args);
      expect(plain.code, args.join(' ')).toBe(2);
      expect(plain.stdout).toBe('');
      expect(plain.stderr).toMatch(/\S/);
    }
    for (const args of wrong.slice(-2)) {
      const json = await cli('api-keys', 'create', ...args, '--json');
      expect(json.code).toBe(2);
      expect(jsonOf(json)).toEqual({
        error: { code: 'USAGE', message: expect.any(String), hint: expect.any(String) },
      });
    }
  });
});

describe('api-keys revoke', () => {
  it('says what it did, and fails on an id that does not exist', async () => {
    verifies('operator.json', 'operator.exit.ok');
    const made = jsonOf(await cli('api-keys', 'create', '--email', 'r@example.com', '--json'));
    const id = made['id'] as string;
    const revoked = await cli('api-keys', 'revoke', id, '--json');
    expect([revoked.code, jsonOf(revoked)]).toEqual([0, { id, revoked: true }]);
    const listed = await cli('api-keys', 'list', '--email', 'r@example.com');
    expect(listed.stdout).toContain('revoked');
    const short = /^key_\w{10,}/m.exec(listed.stdout)![0];
    expect(short.length).toBeLessThan(id.length);
    const alone = await cli('api-keys', 'revoke', short);
    // Without an address the keys of the local owner are meant.
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('api-keys list')]);
    const again = await cli('api-keys', 'revoke', short, '--email', 'r@example.com', '--json');
    expect(jsonOf(again)).toEqual({ id, revoked: true });
    const none = await cli('api-keys', 'revoke', 'key_none', '--json');
    expect(none.code).toBe(1);
    expect(jsonOf(none)).toEqual({ error: { code: 'NOT_FOUND', message: expect.any(String) } });
    expect((await cli('api-keys', 'list', '--email', 'nobody@example.com')).code).toBe(1);
  });
});

describe('migrate and doctor', () => {
  it('bring a database up and say how it is', async () => {
    verifies('operator.exit.ok', 'operator.json');
    const empty = await createEmptyDatabase();
    try {
      const run = (...args: string[]) => runHere(args, { DATABASE_URL: empty.url });
      const first = jsonOf(await run('migrate', '--json'));
      expect(first['applied']).not.toEqual([]);
      const again = await run('migrate');
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('up to date')]);
      const report = jsonOf(await run('doctor', '--json'));
      expect(report).toMatchObject({ ok: true });
      const { checks } = report as { checks: { name: string; ok: boolean }[] };
      expect(checks.map((check) => check.name)).toEqual(
        expect.arrayContaining(['runtime', 'database', 'server']),
      );
    } finally {
      await empty.drop();
    }
  });

  it('fail when the database is not there, and say what to do', async () => {
    const url = 'postgres://nobody:hush-hush@127.0.0.1:1/none';
    const migrate = await runHere(['migrate', '--json'], { DATABASE_URL: url });
    expect(migrate.code).toBe(6);
    expect(jsonOf(migrate)).toMatchObject({
      error: { code: 'DATABASE_UNREACHABLE', hint: expect.stringContaining('DATABASE_URL') },
    });
    const doctor = await runHere(['doctor'], { DATABASE_URL: url });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('FAIL');
    for (const { stdout, stderr } of [migrate, doctor]) {
      expect(stdout + stderr).not.toContain('hush-hush');
    }
  });
});

describe('the command', () => {
  it('knows its name, version and commands', async () => {
    verifies('names.product', 'operator.exit.ok');
    const help = await cli('--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/^Usage: millrace /);
    for (const name of ['serve', 'api-keys', 'migrate', 'doctor', 'demo']) {
      expect(help.stdout).toContain(name);
    }
    const { version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as {
      version: string;
    };
    expect((await asProcess('--version')).stdout.trim()).toBe(version);
  });

  it('called wrongly exits with 2', async () => {
    verifies('operator.exit.usage');
    for (const args of [['nonsense'], ['serve', '--role', 'king'], []]) {
      const { code, stderr } = await asProcess(...args);
      expect(code, args.join(' ')).toBe(2);
      expect(stderr).toMatch(/\S/);
    }
    expect((await cli('serve', '--nonsense')).code).toBe(2);
  });

  it('reports all wrong settings at once, with 2', async () => {
    verifies('operator.exit.usage', 'config.prefix');
    const settings = {
      MILLRACE_PORT: 'many',
      MILLRACE_ROLE: 'king',
      MILLRACE_SLOTS: '0',
      DATABASE_URL: 'mysql://user:hush-hush@example.com/x',
    };
    const { code, stdout, stderr } = await runCli(['serve'], settings);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    for (const name of Object.keys(settings)) expect(stderr).toContain(name);
    expect(stderr).not.toContain('hush-hush');
    expect(stderr).toContain('docs/config.md');
  });

  it('takes a flag before the environment, and that before the default', () => {
    verifies(
      'config.flags-win',
      'config.listen',
      'config.data-dir',
      'config.role',
      'config.prefix',
    );
    expect(loadConfig({})).toMatchObject({ host: '127.0.0.1', port: 4747, role: 'all' });
    const env = {
      MILLRACE_HOST: '::1',
      MILLRACE_PORT: '5001',
      MILLRACE_ROLE: 'api',
      MILLRACE_DATA_DIR: '/data/a',
    };
    const fromEnv = { host: '::1', port: 5001, role: 'api', dataDir: '/data/a' };
    expect(loadConfig(env)).toMatchObject(fromEnv);
    const flags = { host: 'localhost', port: '5002', role: 'worker', dataDir: '/data/b' };
    expect(loadConfig(env, flags)).toMatchObject({ ...flags, port: 5002 });
  });
});

describe('with an embedded database', () => {
  it('serve, and keys beside it, use the folder that is named', async () => {
    verifies('config.data-dir', 'operator.exit.ok');
    const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    // As root the database runs as another user, who must be able to reach it here.
    await chmod(folder, 0o755);
    const settings = { MILLRACE_DATA_DIR: join(folder, 'data') };
    const server = await startServe(['--port', '0'], settings);
    try {
      const made = await runHere(
        ['api-keys', 'create', '--email', 'beside@example.com', '--json'],
        settings,
      );
      expect(made.code, made.stderr).toBe(0);
      const { key } = jsonOf(made) as { key: string };
      const response = await fetch(`${server.ready.url}/api/v1/history`, {
        headers: { 'x-api-key': key },
      });
      expect(response.status).toBe(200);
      const second = await runCli(['serve', '--port', '0', '--json'], settings);
      expect(second.code).toBe(1);
      expect(jsonOf(second)).toMatchObject({ error: { code: 'DATA_FOLDER_IN_USE' } });
    } finally {
      await server.kill('SIGTERM');
    }
    expect(await server.ended).toBe(0);
    await rm(folder, { recursive: true, force: true });
  });
});
