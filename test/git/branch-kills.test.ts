// Killed with all it started at any moment, and gone on with: the branch has each stream once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { placeIn } from '../orchestrator/apply-project.ts';
import { reply } from '../orchestrator/project.ts';
import type { Project } from '../orchestrator/project.ts';
import { useProjects } from '../orchestrator/use-projects.ts';
import { SEED, effort } from '../support/effort.ts';
import { makeRepository, pictureOf } from './repository.ts';
import type { Git } from './repository.ts';

const SCRIPT = fileURLToPath(new URL('./branch-run.ts', import.meta.url));
const { server, project: create } = useProjects();

function project(): Project {
  return create(
    {
      a: { name: 'A', owns: ['a.txt'], plan: reply({ 'a.txt': 'a\n' }), verify: ['test -s a.txt'] },
      b: {
        name: 'B',
        deps: ['a'],
        owns: ['b.txt'],
        plan: `${reply({ 'b.txt': 'bad\n' })} ${reply({ 'b.txt': 'good\n' }, 'b-fix-1')}`,
        verify: ['grep -q good b.txt'],
      },
      c: { name: 'C', deps: ['b'], owns: ['c.txt', 'd.txt'], plan: reply({ 'c.txt': 'c\n' }) },
    },
    { 'd.txt': 'there from the start\n', '.gitignore': 'node_modules\n' },
  );
}

interface Started {
  /** Undefined where it was killed first. */
  code: number | null;
  took: number;
}

/** Killed after so long, where it is not over by then. */
async function run(place: Project, killAfterMs?: number): Promise<Started> {
  const begun = performance.now();
  const args = [SCRIPT, place.root, server.url, server.key];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const patience = new AbortController();
  if (killAfterMs !== undefined) {
    const waited = delay(killAfterMs, 'late', { signal: patience.signal }).catch(() => undefined);
    if ((await Promise.race([ended, waited])) === 'late') process.kill(-child.pid!, 'SIGKILL');
  }
  const [code] = await ended;
  patience.abort();
  return { code, took: performance.now() - begun };
}

const log = (git: Git, branch: string) =>
  git(
    'log',
    '--reverse',
    '--format=%s|%(trailers:key=Millrace-Stream,valueonly,separator=)',
    branch,
  )
    .trim()
    .split('\n');

function expectWhole(place: Project, git: Git, about: string): void {
  expect(log(git, 'millrace/test'), about).toEqual(['start|', 'A|a', 'B|b-fix-1', 'C|c']);
  const files = git('ls-tree', '-r', '--name-only', 'millrace/test').trim().split('\n');
  expect(files, about).toEqual(['.gitignore', 'a.txt', 'b.txt', 'c.txt', 'd.txt', 'millrace.yaml']);
  expect(git('show', 'millrace/test:b.txt'), about).toBe('good\n');
  expect(git('worktree', 'list').trim().split('\n'), about).toHaveLength(1);
  const folders = join(placeIn(place.root).stateDir, 'worktrees');
  expect(existsSync(folders) ? readdirSync(folders) : [], about).toEqual([]);
  expect(git('fsck', '--no-progress', '--no-dangling'), about).toBe('');
}

it('comes to the same branch from every moment, and never touches the checkout', async () => {
  const calm = project();
  const calmGit = makeRepository(calm.root);
  const { code, took } = await run(calm);
  expect(code).toBe(0);
  expectWhole(calm, calmGit, 'undisturbed');
  let seed = SEED;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let trial = 0; trial < effort(4); trial++) {
    const place = project();
    const git = makeRepository(place.root);
    // Nothing that a person has open is in the way.
    writeFileSync(join(place.root, 'mine.txt'), 'not committed\n');
    const before = pictureOf(place.root);
    const kills = [random() * took, random() * took];
    for (const after of kills) await run(place, after);
    const about = `killed after ${kills.map(Math.round).join(' and ')} ms of ${Math.round(took)}`;
    const last = await run(place);
    // Where it was over before the first kill, there is nothing left to do, on a branch of its own.
    expect(last.code, about).toBe(0);
    expect(pictureOf(place.root), about).toEqual(before);
    expectWhole(place, git, about);
  }
});

it('begins on the same branch after its process died while the folder was made', async () => {
  const place = project();
  writeFileSync(join(place.root, '.gitattributes'), '*.txt filter=slow\n');
  const git = makeRepository(place.root);
  const [config, mark] = ['gitconfig', 'mark'].map((name) => join(place.root, '.git', name));
  writeFileSync(config!, `[filter "slow"]\n\tsmudge = "echo >'${mark!}'; exec sleep 600"\n`);
  const before = pictureOf(place.root);
  const args = [SCRIPT, place.root, server.url, server.key];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: { ...process.env, GIT_CONFIG_GLOBAL: config! },
  });
  const ended = once(child, 'exit');
  await expect.poll(() => existsSync(mark!), { timeout: 30_000 }).toBe(true);
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
  expect(git('branch', '--list', '--format=%(refname:short)').trim()).toBe('main\nmillrace/test');
  expect((await run(place)).code).toBe(0);
  expect(git('branch', '--list', '--format=%(refname:short)').trim()).toBe('main\nmillrace/test');
  expect(pictureOf(place.root)).toEqual(before);
  const folders = join(placeIn(place.root).stateDir, 'worktrees');
  expect(readdirSync(folders)).toEqual([]);
  expect(log(git, 'millrace/test')).toEqual(['start|', 'A|a', 'B|b-fix-1', 'C|c']);
});
