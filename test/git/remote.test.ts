import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { forgeOf } from '../../src/git/forges/create-forge.ts';
import { placeOfRemote, remoteTip } from '../../src/git/remote.ts';

it.each([
  ['https://github.com/o/r.git', 'github.com', 'o/r'],
  ['https://me:secret@github.com/o/r/', 'github.com', 'o/r'],
  ['git@github.com:o/r.git', 'github.com', 'o/r'],
  ['github.com:o/r', 'github.com', 'o/r'],
  ['ssh://git@gitlab.example.com:2222/group/sub/r.git', 'gitlab.example.com', 'group/sub/r'],
  ['https://forge.example.com:8443/o/r', 'forge.example.com:8443', 'o/r'],
  ['git@forge.example.com:o/a.git.git', 'forge.example.com', 'o/a.git'],
])('knows the host and the project of %s', (address, host, path) => {
  expect(placeOfRemote(address)).toEqual({ host, path });
});

it.each([
  '/srv/git/r.git',
  '../r',
  'C:\\work\\r',
  'file:///srv/git/r.git',
  'ext::sh -c evil',
  'https://github.com/',
  'https://github.com/o',
  'git@github.com:r',
  '',
  'http://[',
])('knows none of %j', (address) => {
  expect(placeOfRemote(address)).toBeUndefined();
});

it('knows where the API of a host is', () => {
  const of = (host: string, known = {}) => forgeOf({ host, path: 'o/r' }, known);
  expect(of('github.com')).toMatchObject({ kind: 'github', api: 'https://api.github.com' });
  expect(of('github.example.com')?.api).toBe('https://github.example.com/api/v3');
  expect(of('gitlab.com')).toMatchObject({ kind: 'gitlab', api: 'https://gitlab.com/api/v4' });
  const known = {
    'code.example.com': { kind: 'gitlab' as const, api: 'https://api.example.com/' },
  };
  expect(of('code.example.com', known)?.api).toBe('https://api.example.com');
  expect(of('code.example.com')).toBeUndefined();
});

it('waits no longer for a host that takes the call and says nothing', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'millrace-remote-'));
  // A person's own word for how long; for how little there is none.
  vi.stubEnv('GIT_HTTP_LOW_SPEED_TIME', '1');
  try {
    const { port } = silent.address() as AddressInfo;
    const asking = remoteTip(folder, `http://127.0.0.1:${port}/o/r.git`, 'main');
    await expect(asking).rejects.toThrow(/too slow/i);
  } finally {
    vi.unstubAllEnvs();
    silent.closeAllConnections();
    silent.close();
    rmSync(folder, { recursive: true });
  }
});
