// What a runner keeps of repositories that it clones: folders and objects go after a time, work that is nowhere else never.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bytesIn } from '../../src/runner/clone-size.ts';
import { createPlaces } from '../../src/runner/places.ts';
import type { Places } from '../../src/runner/places.ts';
import { IDLE_MS } from '../../src/runner/tidy-clone.ts';
import type { AllowedProject } from '../../src/runner/runner-file.ts';
import { gitIn } from '../git/repository.ts';
import type { Git } from '../git/repository.ts';
import { verifies } from '../support/verifies.ts';
import { stallingServer } from './stalling-server.ts';
import { makeRunnerWorld } from './runner-world.ts';
import type { RunnerWorld } from './runner-world.ts';

const MIB = 1024 * 1024;
const signal = new AbortController().signal;

let world: RunnerWorld;
let folder: string;
let git: Git;
let stateHome: string;
let clones: string;
let said: string[];

beforeEach(() => {
  world = makeRunnerWorld();
  ({ folder, git } = world.repository('shop', { 'a.txt': 'a\n', '.gitignore': 'packages\n' }));
  stateHome = join(world.base, 'state');
  clones = join(stateHome, 'runner/repositories');
  said = [];
});
afterEach(() => world.remove());

const placesOf = (mostBytes = Infinity, silentMs?: number): Places =>
  createPlaces(stateHome, { concurrency: 4, mostBytes, ...(silentMs && { silentMs }) });
const shop = (): AllowedProject => ({
  repo: `file://${folder}`,
  inPlace: false,
  commands: 'sandbox',
  hosts: [],
  ownLogins: [],
  env: {},
});
const take = (places: Places, project = shop(), stopping = signal) =>
  places.take('shop', project, {
    base: null,
    runId: undefined,
    branch: undefined,
    signal: stopping,
  });
const tidy = (places: Places, at = Date.now(), projects = { shop: shop() } as object) =>
  places.tidy(projects as Record<string, AllowedProject>, {
    now: at,
    say: (line) => said.push(line),
  });
const LATER = () => Date.now() + IDLE_MS + 60_000;

it('empties folders that nobody has used for a week, and has them again where they are needed', async () => {
  verifies('runners.clones');
  const places = placesOf();
  const [first, second] = [await take(places), await take(places)];
  expect([first.root, second.root].map((root) => root.slice(-6))).toEqual(['shop-1', 'shop-2']);
  mkdirSync(join(first.root, 'packages'));
  writeFileSync(join(first.root, 'packages/large'), 'x');
  await tidy(places);
  expect(readdirSync(first.root)).toContain('packages');
  // In use, however long it takes.
  first.release();
  await tidy(places, LATER());
  expect(readdirSync(first.root)).toEqual([]);
  expect(readdirSync(second.root)).toContain('a.txt');
  second.release();
  const again = await take(places);
  expect(again.root).toBe(first.root);
  expect(readdirSync(again.root).sort()).toEqual(['.git', '.gitignore', 'a.txt']);
  again.release();
});

it('keeps what is in no commit, and commits that no branch has', async () => {
  verifies('runners.clones');
  const first = placesOf();
  const [changed, added, committed] = [await take(first), await take(first), await take(first)];
  const places = placesOf(1);
  writeFileSync(join(changed.root, 'a.txt'), 'changed\n');
  writeFileSync(join(added.root, 'new.txt'), 'new\n');
  const inside = gitIn(committed.root);
  writeFileSync(join(committed.root, 'a.txt'), 'committed\n');
  inside('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-qam', 'own work');
  for (const { root } of [changed, added, committed]) utimesSync(join(root, '.git'), 0, 0);
  await tidy(places, LATER());
  for (const { root } of [changed, added, committed]) {
    expect(existsSync(join(root, '.git')), root).toBe(true);
  }
  expect(said).toEqual([
    'shop  The clone of shop takes more than the 9.31e-10 GB that its runner keeps for one.',
  ]);
});

it('empties what is free at once where a clone is too large, the oldest first', async () => {
  verifies('runners.clones');
  const places = placesOf(8 * MIB);
  const [old, recent] = [await take(places), await take(places)];
  for (const { root } of [old, recent]) {
    mkdirSync(join(root, 'packages'));
    writeFileSync(join(root, 'packages/large'), randomBytes(5 * MIB));
  }
  old.release();
  recent.release();
  utimesSync(join(old.root, '.git'), 1000, 1000);
  await tidy(places);
  expect(readdirSync(old.root)).toEqual([]);
  expect(readdirSync(recent.root)).toContain('packages');
  expect(said).toEqual([]);
});

function commitLarge(): void {
  for (let count = 0; count < 12; count += 1) {
    writeFileSync(join(folder, `large-${count}`), randomBytes(MIB));
  }
  git('add', '.');
  git('commit', '-qm', 'large');
}

it('stops a fetch as soon as it brings more than a clone may have', async () => {
  verifies('runners.clones');
  commitLarge();
  // It never ends by itself: after so much no more comes.
  const far = await stallingServer(folder, 8 * MIB);
  try {
    const places = placesOf(4 * MIB);
    const taking = take(places, { ...shop(), repo: far.url });
    await expect(taking).rejects.toMatchObject({ name: 'PlaceError' });
    expect(await bytesIn(join(clones, 'shop'))).toBeLessThan(4 * MIB);
  } finally {
    await far.close();
  }
});

it('gives up on a host that says no more, and on no request that comes after', async () => {
  verifies('runners.clones');
  commitLarge();
  const far = await stallingServer(folder, 1 * MIB);
  try {
    const places = placesOf(Infinity, 3000);
    const silent = { ...shop(), repo: far.url };
    const stopping = new AbortController();
    const first = take(places, silent);
    // Cancelled while it waits for its turn, it does not wait on.
    const second = take(places, silent, stopping.signal);
    const third = take(places);
    stopping.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    await expect(first).rejects.toThrow('The repository of shop has sent nothing for 3 seconds.');
    expect((await third).root).toMatch(/shop-3$/);
  } finally {
    await far.close();
  }
});

it('refuses a repository that is too large, keeps nothing of it, and says what would allow it', async () => {
  verifies('runners.clones');
  commitLarge();
  const places = placesOf(4 * MIB);
  await expect(take(places)).rejects.toMatchObject({
    name: 'PlaceError',
    message: 'The clone of shop takes more than the 0.00391 GB that its runner keeps for one.',
    remedy: 'millrace runner --clone-size 1',
  });
  expect(await bytesIn(join(clones, 'shop'))).toBeLessThan(MIB);
  expect(await take(placesOf(40 * MIB))).toMatchObject({ root: join(clones, 'shop/shop-1') });
});

it('removes the clone of a project that was taken away, unless a branch of it is not pushed', async () => {
  verifies('runners.clones');
  const places = placesOf();
  (await take(places)).release();
  const bare = gitIn(join(clones, 'shop/bare.git'));
  const inBare = (...args: string[]) => bare('--git-dir=.', ...args);
  const tip = inBare('rev-parse', 'refs/remotes/origin/HEAD').trim();
  const tree = inBare('rev-parse', `${tip}^{tree}`).trim();
  const own = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  const commit = inBare(...own, 'commit-tree', tree, '-p', tip, '-m', 'own').trim();
  inBare('branch', 'millrace/own', commit);
  await tidy(places, Date.now(), {});
  expect(said.splice(0)).toEqual([
    `shop  its clone stays in ${join(clones, 'shop')}: its branch millrace/own is not pushed`,
  ]);
  inBare('push', '-q', `file://${folder}`, 'millrace/own');
  inBare('fetch', '-q', 'origin');
  await tidy(places, Date.now(), {});
  expect(said).toEqual(['shop  its clone was removed']);
  expect(existsSync(join(clones, 'shop'))).toBe(false);
});
