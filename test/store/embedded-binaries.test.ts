import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  EmbeddedUnavailableError,
  findNativeFolder,
  hydrateLinks,
  usableBinaries,
} from '../../src/store/embedded/binaries.ts';
import { findServiceUser } from '../../src/store/embedded/service-user.ts';

const isRoot = process.getuid?.() === 0;
let root: string;
let nativeDir: string;

// As an install leaves the package when the install scripts are not run.
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-binaries-'));
  chmodSync(root, 0o755);
  nativeDir = join(root, 'package', 'native');
  const installed = dirname(findNativeFolder(process.platform, process.arch));
  cpSync(installed, dirname(nativeDir), {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  });
});

afterAll(() => rmSync(root, { recursive: true }));

function version(native: string): string {
  return execFileSync(join(native, 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

test('the links between library names are made when the install left them out', async () => {
  expect(() => version(nativeDir)).toThrow(/shared librar|Library not loaded/);
  await hydrateLinks(nativeDir);
  expect(version(nativeDir)).toContain('PostgreSQL) 18');
  await hydrateLinks(nativeDir);
});

test.runIf(isRoot)(
  'binaries that the service user cannot reach are copied to where it can',
  async () => {
    // As an install under a strict umask.
    execFileSync('chmod', ['-R', 'go-rwx', dirname(nativeDir)]);
    const messages: string[] = [];
    const options = {
      nativeDir,
      home: root,
      user: findServiceUser(join(root, 'none')),
      log: (message: string) => messages.push(message),
    };
    const usable = await usableBinaries(options);
    expect(dirname(dirname(usable))).toBe(root);
    expect(version(usable)).toContain('PostgreSQL) 18');
    expect(messages).toHaveLength(1);
    expect(await usableBinaries(options)).toBe(usable);
    expect(messages).toHaveLength(1);
  },
);

test('a platform without a package gets told to bring its own server', () => {
  expect(() => findNativeFolder('windows', 'arm64')).toThrow(EmbeddedUnavailableError);
  expect(() => findNativeFolder('windows', 'arm64')).toThrow('Set DATABASE_URL');
});
