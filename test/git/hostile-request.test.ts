// A hostile repository all the way to a request and back, where everything that has to be approved was.
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { manifestOf } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import { createForgeProject } from './forge-project.ts';
import type { ForgeProject } from './forge-project.ts';
import { HOOKS, neverRun, trapsIn } from './traps.ts';
import type { Traps } from './traps.ts';

const server = useServer();
let at: ForgeProject;
let traps: Traps;

beforeEach(async () => {
  const manifest = manifestOf([{ id: 'b', deps: ['a'] }, { id: 'a' }]);
  at = await createForgeProject(server(), 'github', manifest);
  traps = trapsIn(at.project.folder);
  await at.project.write('.gitattributes', '* diff=evil merge=evil\n');
  at.git('add', '.');
  at.git('commit', '-qm', 'attributes');
  at.git('push', '-q', 'origin', 'main');
});
afterEach(() => at.remove());

async function does(...words: string[]): Promise<void> {
  const { code, stderr } = await at.project.millrace(words);
  expect({ words, code, stderr }).toMatchObject({ code: 0 });
  expect(traps.sprung(), words.join(' ')).toEqual([]);
}

/** Without what is set up there: it is the person who does it. */
async function othersPush(name: string): Promise<void> {
  const other = join(dirname(at.project.folder), `other-${name}`);
  at.there('worktree', 'add', '-q', other, 'main');
  const git = (...words: string[]) => at.there('-C', other, ...words);
  git('config', 'user.name', 'Other');
  git('config', 'user.email', 'other@example.com');
  git('commit', '-q', '--allow-empty', '-m', name);
  at.there('worktree', 'remove', other);
}

it.each([
  ['in their folder', undefined],
  ['in a folder that is named', 'evil-hooks'],
])('runs no hook %s, and nothing else that is never needed', async (_what, folder) => {
  const { git } = at;
  const hooks = join(at.project.folder, '.git', folder ?? 'hooks');
  for (const hook of HOOKS) {
    traps.set(hook, { folder: hooks, ends: true });
    // Newer gits have hooks in their configuration.
    git('config', `hook.evil-${hook}.event`, hook);
    git('config', `hook.evil-${hook}.command`, traps.set(`configured-${hook}`, { ends: true }));
  }
  if (folder !== undefined) git('config', 'core.hooksPath', hooks);
  for (const [name, value] of Object.entries(neverRun(traps))) git('config', name, value);
  traps.reset();
  await does('run', 'm.yaml', '--yes', '--git', 'branch=work');
  await othersPush('before');
  // In the order of the waves and on top of what is there now.
  await does('pr', '--yes', '--stack');
  expect(at.forge.requests).toHaveLength(2);
  await othersPush('after');
  await does('pr', '--yes');
  expect(at.there('log', '-1', '--format=%s', 'work').trim()).toBe('Merge main into work');
  await does('pr', 'status');
  await does('diff');
  await does('run', 'm.yaml', '--yes', '--git', 'branch=work', '--only', 'a');
  await does('revert', '--delete-branch');
});
