import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitStream } from '../../src/git/commit-stream.ts';
import { openWorktree } from '../../src/git/worktree.ts';
import { gitIn, makeRepository } from './repository.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-locks-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

it('what a killed git has locked does not keep a run from its commits', async () => {
  const [repository, folder, branch] = [join(base, 'project'), join(base, 'tree'), 'topic/one'];
  gitIn(base)('init', '-q', repository);
  writeFileSync(join(repository, 'a.txt'), 'a');
  const git = makeRepository(repository);
  const tree = { repository, folder, branch };
  await openWorktree(tree, git('rev-parse', 'HEAD').trim());
  const own = gitIn(folder)('rev-parse', '--absolute-git-dir').trim();
  for (const lock of [
    join(own, 'index.lock'),
    join(own, 'HEAD.lock'),
    join(repository, '.git/refs/heads/topic/one.lock'),
  ]) {
    writeFileSync(lock, '');
  }
  await openWorktree(tree, 'HEAD');
  writeFileSync(join(folder, 'b.txt'), 'b');
  const { id } = await commitStream(folder, { id: 'b', name: 'B' }, ['b.txt']);
  expect(git('rev-parse', branch).trim()).toBe(id);
});
