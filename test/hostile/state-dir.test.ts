// Where the state of a project is, and to which folder it belongs.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stateHomeOf } from '../../src/config/state-folder.ts';
import { findStateDir, makeStateDir, stateWithin } from '../../src/orchestrator/state/state-dir.ts';

let base: string;
let home: string;
let root: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-state-')));
  home = join(base, 'state');
  root = join(base, 'project');
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function withState(): Promise<string> {
  const stateDir = await findStateDir(root, home);
  await makeStateDir({ root, stateDir });
  writeFileSync(join(stateDir, 'mark'), 'x');
  return stateDir;
}

it('lies with the user, and nothing is made before it is needed', async () => {
  expect(stateHomeOf({}, '/home/me')).toBe('/home/me/.local/state/millrace');
  expect(stateHomeOf({ XDG_STATE_HOME: '/state' }, '/home/me')).toBe('/state/millrace');
  expect(stateHomeOf({ MILLRACE_STATE_DIR: '/mine' }, '/home/me')).toBe('/mine');
  // A relative one would lie in the project.
  expect(stateHomeOf({ XDG_STATE_HOME: 's', MILLRACE_STATE_DIR: 'm' }, '/h')).toMatch(/^\/h\//);
  const stateDir = await findStateDir(root, home);
  expect(stateDir.startsWith(join(home, 'projects/project-'))).toBe(true);
  expect(existsSync(home)).toBe(false);
});

it('goes along with a project that is moved', async () => {
  await withState();
  const moved = join(base, 'renamed');
  renameSync(root, moved);
  expect(existsSync(join(await findStateDir(moved, home), 'mark'))).toBe(true);
  expect(readdirSync(join(home, 'projects'))).toHaveLength(1);
});

it('does not count for another folder that is put in the place of the first', async () => {
  await withState();
  rmSync(root, { recursive: true });
  mkdirSync(root);
  expect(existsSync(join(await findStateDir(root, home), 'mark'))).toBe(false);
});

it('does not count for a copy, as long as the first is there or not', async () => {
  await withState();
  const copy = join(base, 'copy');
  cpSync(root, copy, { recursive: true, preserveTimestamps: true });
  expect(existsSync(join(await findStateDir(copy, home), 'mark'))).toBe(false);
  rmSync(root, { recursive: true });
  expect(existsSync(join(await findStateDir(copy, home), 'mark'))).toBe(false);
});

it('is refused when others may write into it', async () => {
  const stateDir = await withState();
  chmodSync(stateDir, 0o770);
  await expect(findStateDir(root, home)).rejects.toThrow('can be written by other users');
});

it('is closed to streams where the project is the home folder', async () => {
  const stateDir = await findStateDir(root, join(root, '.local/state/millrace'));
  expect(stateWithin({ root, stateDir })).toEqual(['.local/state/millrace']);
  expect(stateWithin({ root, stateDir: await findStateDir(root, home) })).toEqual([]);
});
