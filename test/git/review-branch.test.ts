// The review of a run that worked on a branch: the person's own files are no part of it.
import { realpath } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  answer,
  ask,
  commentOn,
  openRound,
  opened,
  submit,
} from '../orchestrator/review-project.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import { makeRepository, pictureOf } from './repository.ts';
import type { Git } from './repository.ts';

const server = useServer();
let project: RunProject;
let git: Git;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

async function place() {
  return { root: await realpath(project.folder), stateDir: await project.stateDir() };
}

async function ran(): Promise<void> {
  const verify = ['test -e out/a.md'];
  await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'], verify }]));
  git = makeRepository(project.folder);
  const flags = ['--yes', '--git', 'branch', '--signoff'];
  expect((await project.millrace(['run', 'm.yaml', ...flags])).code).toBe(0);
}

const subjects = () =>
  git('log', '--format=%s|%(trailers:key=Millrace-Stream,valueonly,separator=)', 'millrace/test')
    .trim()
    .split('\n');

it('takes back on the branch, in a commit of its stream, and the branch can still be deleted', async () => {
  await ran();
  const before = pictureOf(project.folder);
  const at = await place();
  await answer(at, ['out/b.md 0']);
  expect(await submit(at)).toMatchObject({ files: ['out/b.md'], accepted: 1, rejected: 1 });
  expect(pictureOf(project.folder)).toEqual(before);
  expect(subjects()[0]).toBe('Review of About b|b');
  expect(git('log', '-1', '--format=%B', 'millrace/test')).toContain('Signed-off-by: Test');
  const files = git('ls-tree', '-r', '--name-only', 'millrace/test').split('\n');
  expect([files.includes('out/a.md'), files.includes('out/b.md')]).toEqual([true, false]);
  const folders = join(at.stateDir, 'worktrees');
  expect(existsSync(folders) ? readdirSync(folders) : []).toEqual([]);
  const dropped = await project.millrace(['revert', '--delete-branch']);
  expect(dropped.stdout).toContain('with 3 commits');
});

it('leaves the branch as it is where the checks do not pass, or when the branch is gone', async () => {
  await ran();
  const at = await place();
  await answer(at, ['out/a.md 0']);
  expect(await submit(at)).toMatchObject({ files: [], failed: { stream: 'b' } });
  expect(subjects()[0]).toBe('About b|b');
  git('branch', '-D', 'millrace/test');
  await expect(opened(at)).rejects.toMatchObject({ code: 'GIT_NOT_READY' });
});

it('has what a review asks for made on the branch, as commits of its streams', async () => {
  await ran();
  const before = pictureOf(project.folder);
  const at = await place();
  const comment = await commentOn(at, { path: 'out/a.md', line: 1, text: 'Shorter.' });
  const suggested = await commentOn(at, { path: 'out/b.md', line: 1, suggestion: '# Better' });
  await ask(at, [comment, suggested]);
  const submitted = await submit(at, { verdict: 'changes' });
  expect(submitted.round).toMatchObject({ fixes: [{ fix: 'a-fix-1' }], placed: [suggested[0]] });
  expect(subjects()[0]).toBe('Review of About b|b');
  expect(await openRound(at)).toMatchObject({ state: 'interrupted' });
  // Without a name the branch of the open run is meant.
  const flags = ['--yes', '--git', 'branch', '--signoff'];
  expect((await project.millrace(['run', 'm.yaml', ...flags])).code).toBe(0);
  expect(pictureOf(project.folder)).toEqual(before);
  expect(git('show', 'millrace/test:out/b.md')).toMatch(/^# Better\n/);
  const { carried, round } = await opened(at);
  expect([round, carried.map(({ outcome }) => outcome)]).toEqual([
    2,
    ['Done by a-fix-1.', 'Done as suggested.'],
  ]);
  const folders = join(at.stateDir, 'worktrees');
  expect(existsSync(folders) ? readdirSync(folders) : []).toEqual([]);
});
