// A repository that came as an archive, with a configuration that would have git run programs.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import { makeRepository } from './repository.ts';
import type { Git } from './repository.ts';

const server = useServer();
let project: RunProject;
let git: Git;
let mark: string;
beforeEach(async () => {
  project = await createRunProject(server());
  mark = join(dirname(project.folder), 'it-ran');
  await project.write('m.yaml', manifestOf([{ id: 'a' }]));
  await project.write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  git = makeRepository(project.folder);
});
afterEach(() => project.remove());

/** A program that says that it ran, and passes on what it gets. */
function program(name: string): string {
  const file = join(project.folder, '.git', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ${name} "$@" >> '${mark}'\ncat\n`);
  chmodSync(file, 0o755);
  return file;
}

const HOOKS = [
  'post-checkout',
  'pre-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'reference-transaction',
  'post-index-change',
  'fsmonitor-watchman',
];

describe('a hostile repository', () => {
  it('runs none of its hooks, monitors, editors, helpers and drivers for a run on a branch', async () => {
    for (const hook of HOOKS) program(`hooks/${hook}`);
    const settings = {
      'core.hooksPath': join(project.folder, '.git/hooks'),
      'core.fsmonitor': program('monitor'),
      'core.editor': program('editor'),
      'core.pager': program('pager'),
      'core.sshCommand': program('ssh'),
      'core.askPass': program('askpass'),
      'credential.helper': program('helper'),
      'diff.external': program('external-diff'),
      'diff.evil.textconv': program('textconv'),
      'diff.evil.command': program('diff-driver'),
      'merge.evil.driver': program('merge-driver'),
      'trailer.millrace-stream.command': program('trailer'),
      'trailer.evil.cmd': program('trailer-too'),
      'alias.commit': `!${program('alias')}`,
      'uploadpack.packObjectsHook': program('pack'),
      'gc.auto': '1',
    };
    for (const [name, value] of Object.entries(settings)) git('config', name, value);
    rmSync(mark, { force: true });
    const { code, stderr } = await project.millrace(['run', 'm.yaml', '--yes', '--git', 'branch']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const gone = await project.millrace(['revert', '--delete-branch']);
    expect({ code: gone.code, stderr: gone.stderr }).toMatchObject({ code: 0 });
    expect(existsSync(mark)).toBe(false);
  });

  it.each([
    ['a clean filter', 'filter.evil.clean'],
    ['a smudge filter', 'filter.evil.smudge'],
    ['a filter that stays', 'filter.evil.process'],
    ['a program that signs', 'gpg.program'],
    ['one that finds the key', 'gpg.ssh.defaultKeyCommand'],
  ])('is asked about %s before anything runs', async (_what, name) => {
    const path = program('evil');
    git('config', name, path);
    git('config', 'commit.gpgSign', 'true');
    rmSync(mark, { force: true });
    const refused = await project.millrace(['run', 'm.yaml', '--git', 'branch']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(path);
    expect(existsSync(mark)).toBe(false);
    expect(git('branch', '--list').trim()).toBe('* main');
  });

  it.each([
    ['a merge driver', 'merge.evil.driver'],
    ['a program instead of ssh', 'core.sshCommand'],
    ['a helper for passwords', 'credential.helper'],
    ['one for a single host', 'credential.https://forge.example.com.helper'],
    ['a program that receives', 'remote.origin.receivepack'],
  ])('is asked about %s before a branch is pushed', async (_what, name) => {
    expect((await project.millrace(['run', 'm.yaml', '--yes', '--git', 'branch'])).code).toBe(0);
    git('remote', 'add', 'origin', 'git@forge.example.com:o/r.git');
    const path = program('evil');
    git('config', name, path);
    rmSync(mark, { force: true });
    const refused = await project.millrace(['pr'], { GH_TOKEN: 'token' });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(path);
    expect(existsSync(mark)).toBe(false);
  });
});
