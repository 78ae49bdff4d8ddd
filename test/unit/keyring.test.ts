import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { open, seal } from '../../src/platform/envelope.ts';
import { lockFile } from '../../src/platform/file-lock.ts';
import {
  KEYRING_FILE,
  KeyringError,
  addMasterKey,
  keepMasterKeys,
  keyringFromFolder,
  keyringFromText,
} from '../../src/platform/keyring.ts';
import { verifies } from '../support/verifies.ts';

const BINDING = ['provider-key', 'usr_1', 'openai'];
let base: string;
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace-keyring-'));
  folder = join(base, 'data');
});
afterEach(() => rm(base, { recursive: true, force: true }));

const path = () => join(folder, KEYRING_FILE);
const idsInFile = () =>
  Object.keys((JSON.parse(readFileSync(path(), 'utf8')) as { keys: object }).keys);

describe('master keys from a setting', () => {
  it('are taken in base64, base64url and hex', () => {
    verifies('provider-keys.master-key');
    const key = randomBytes(32);
    const texts = [
      key.toString('base64'),
      key.toString('base64url'),
      key.toString('hex'),
      key.toString('hex').toUpperCase(),
      ` ${key.toString('base64')}\n`,
    ];
    const ids = new Set(texts.map((text) => keyringFromText(text).active().id));
    expect(ids.size).toBe(1);
    expect(keyringFromText(texts[0]!).active().key.equals(key)).toBe(true);
  });

  it('may be several: the first seals, the others still open', () => {
    const [fresh, old] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')];
    const sealed = seal(keyringFromText(old), 'hush', BINDING);
    const both = keyringFromText(`${fresh}, ${old}`);
    expect(open(both, sealed, BINDING)).toBe('hush');
    expect(both.active().id).toBe(keyringFromText(fresh).active().id);
  });

  it.each([
    'short',
    randomBytes(16).toString('base64'),
    randomBytes(33).toString('base64'),
    `${randomBytes(32).toString('hex')}0`,
    `${'A'.repeat(40)}!!!!AAA=`,
    `${'A'.repeat(20)} ${'A'.repeat(23)}=`,
    `${randomBytes(32).toString('base64')},`,
  ])('are refused as %j, without showing it', (text) => {
    expect(() => keyringFromText(text)).toThrow(KeyringError);
    expect(() => keyringFromText(text)).toThrow(/32 bytes in base64 or hex.*openssl rand/);
    try {
      keyringFromText(text);
    } catch (error) {
      expect(String(error)).not.toContain(text);
    }
  });
});

describe('master keys in a folder', () => {
  it('are made when the first secret is sealed, for their owner alone', () => {
    verifies('provider-keys.master-key');
    const keys = keyringFromFolder(folder);
    expect(keys.find('any')).toBeUndefined();
    expect(() => statSync(path())).toThrow();
    const sealed = seal(keys, 'hush', BINDING);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual([KEYRING_FILE, 'master-keys.lock']);
    expect(open(keyringFromFolder(folder), sealed, BINDING)).toBe('hush');
  });

  it('that another process adds are used and found without a restart', () => {
    verifies('provider-keys.rotate');
    const server = keyringFromFolder(folder);
    const first = server.active().id;
    const second = addMasterKey(folder);
    expect(server.active().id).toBe(second);
    expect(server.find(first)?.id).toBe(first);
    const reader = keyringFromFolder(folder);
    const third = addMasterKey(folder);
    expect(reader.find(third)?.id).toBe(third);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  it('are read again even when two changes bear the same time', () => {
    const server = keyringFromFolder(folder);
    server.active();
    const time = new Date(1_700_000_000_000);
    utimesSync(path(), time, time);
    server.active();
    const added = addMasterKey(folder);
    utimesSync(path(), time, time);
    expect(server.active().id).toBe(added);
  });

  it('go when they seal nothing any more, except the one before', () => {
    const ids = [1, 2, 3, 4].map(() => addMasterKey(folder));
    expect(keepMasterKeys(folder, new Set([ids[0]!]))).toEqual([ids[1]]);
    expect(idsInFile()).toEqual([ids[0], ids[2], ids[3]]);
    expect(keepMasterKeys(folder, new Set())).toEqual([ids[0]]);
    expect(keepMasterKeys(folder, new Set())).toEqual([]);
    expect(keyringFromFolder(folder).active().id).toBe(ids[3]);
  });

  it('are all kept when several processes write at the same time', async () => {
    const keyring = new URL('../../src/platform/keyring.ts', import.meta.url).href;
    const script = `
      const { readFileSync } = await import('node:fs');
      const { addMasterKey, keyringFromFolder } = await import(${JSON.stringify(keyring)});
      console.error('ready');
      readFileSync(0);
      const ids = [keyringFromFolder(process.argv[1]).active().id];
      for (let i = 0; i < 60; i++) ids.push(addMasterKey(process.argv[1]));
      console.log(ids.join());`;
    const args = ['--input-type=module', '-e', script, folder];
    const children = [1, 2, 3].map(() => spawn(process.execPath, args));
    const runs = children.map(async (child) => {
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(code).toBe(0);
      return output.trim().split(',');
    });
    // All at once, when the last one is up.
    await Promise.all(children.map((child) => once(child.stderr, 'data')));
    for (const child of children) child.stdin.end();
    const ids = (await Promise.all(runs)).flat();
    expect(idsInFile().sort()).toEqual([...new Set(ids)].sort());
    expect(readdirSync(folder).sort()).toEqual([KEYRING_FILE, 'master-keys.lock']);
  });

  it('are not written over by a process that stood still, and written when one has died', async () => {
    addMasterKey(folder);
    const module = new URL('../../src/platform/file-lock.ts', import.meta.url).href;
    const lock = join(folder, 'master-keys.lock');
    const holds = `import { lockFile } from '${module}'; globalThis.lock = lockFile(${JSON.stringify(lock)});
      process.stdout.write('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', holds]);
    const adds = `import { addMasterKey } from '${new URL('../../src/platform/keyring.ts', import.meta.url).href}';
      process.stdout.write('adding'); addMasterKey(${JSON.stringify(folder)});`;
    try {
      await once(holder.stdout, 'data');
      holder.kill('SIGSTOP');
      // However old its lock is: it may go on in the middle of writing.
      const longAgo = new Date(Date.now() - 3_600_000);
      utimesSync(lock, longAgo, longAgo);
      const adder = spawn(process.execPath, ['--input-type=module', '-e', adds]);
      const ended = once(adder, 'exit');
      await once(adder.stdout, 'data');
      expect(lockFile(lock, { waitMs: 300 })).toBeUndefined();
      expect(idsInFile()).toHaveLength(1);
      holder.kill('SIGKILL');
      expect((await ended)[0]).toBe(0);
      expect(idsInFile()).toHaveLength(2);
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it.each(['', '{', '{}', '{"active":"a","keys":{}}', '{"active":"a","keys":{"a":"QQ=="}}'])(
    'in a damaged file (%s) are an error that names the file, and the file stays',
    (text) => {
      addMasterKey(folder);
      writeFileSync(path(), text);
      expect(() => keyringFromFolder(folder)).toThrow(KeyringError);
      expect(() => keyringFromFolder(folder)).toThrow(/master-keys\.json.*Restore/);
      expect(() => addMasterKey(folder)).toThrow(KeyringError);
      expect(readFileSync(path(), 'utf8')).toBe(text);
    },
  );
});
