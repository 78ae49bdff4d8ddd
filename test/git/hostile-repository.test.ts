// A repository that came as an archive, with a configuration that would have git run programs.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import { gitIn, makeRepository } from './repository.ts';
import type { Git } from './repository.ts';
import { trapsIn } from './traps.ts';
import type { Traps } from './traps.ts';

const server = useServer();
let project: RunProject;
let git: Git;
let traps: Traps;
beforeEach(async () => {
  project = await createRunProject(server());
  traps = trapsIn(project.folder);
  await project.write('m.yaml', manifestOf([{ id: 'a' }]));
  await project.write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  git = makeRepository(project.folder);
});
afterEach(() => project.remove());

const TOKEN = { GH_TOKEN: 'token' };

async function hasRun(): Promise<void> {
  const { code, stderr } = await project.millrace(['run', 'm.yaml', '--yes', '--git', 'branch=b']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
}

/** That the program is named, and that nothing was started. */
async function expectAsked(words: readonly string[], program: string): Promise<void> {
  traps.reset();
  const refused = await project.millrace(words, TOKEN);
  expect(traps.sprung()).toEqual([]);
  expect(refused.stderr).toContain(program);
  expect(refused.code).toBe(2);
}

const RUN = ['run', 'm.yaml', '--git', 'branch'];

describe('a hostile repository', () => {
  it.each([
    ['a clean filter', 'filter.evil.clean'],
    ['a smudge filter', 'filter.evil.smudge'],
    ['a filter that stays', 'filter.evil.process'],
    ['a program that signs', 'gpg.program'],
    ['one for another kind of keys', 'gpg.ssh.program'],
    ['one that finds the key', 'gpg.ssh.defaultKeyCommand'],
    ['what the filter for large files starts', 'lfs.customtransfer.evil.path'],
    ['what it makes of each file', 'lfs.extension.evil.smudge'],
  ])('is asked about %s before anything runs', async (_what, name) => {
    const path = traps.set('evil');
    git('config', name, path);
    git('config', 'commit.gpgSign', 'true');
    git('config', 'log.showSignature', 'true');
    await expectAsked(RUN, path);
    expect(git('branch', '--list').trim()).toBe('* main');
  });

  it.each([
    ['in its own file of a worktree', 'config.worktree'],
    ['that counts on the branch alone', 'includeIf.onbranch:millrace/**.path'],
    ['that counts in the folder of the branch alone', 'includeIf.gitdir:**/worktrees/**.path'],
    ['that another file brings in', 'include.path'],
  ])('is asked about a filter %s', async (_what, name) => {
    const path = traps.set('evil');
    if (name === 'config.worktree') {
      git('config', 'extensions.worktreeConfig', 'true');
      git('config', '--worktree', 'filter.evil.smudge', path);
    } else {
      await project.write('.git/more', '[include]\n\tpath = more.d/last\n');
      mkdirSync(join(project.folder, '.git/more.d'));
      await project.write('.git/more.d/last', `[filter "evil"]\n\tsmudge = ${path}\n`);
      git('config', name, 'more');
    }
    await expectAsked(RUN, path);
  });

  it('is asked about the filters of a repository that is kept elsewhere', async () => {
    const path = traps.set('evil');
    const elsewhere = join(dirname(project.folder), 'elsewhere.git');
    renameSync(join(project.folder, '.git'), elsewhere);
    writeFileSync(join(project.folder, '.git'), 'gitdir: ../elsewhere.git\n');
    git('config', 'filter.evil.smudge', path);
    await expectAsked(RUN, path);
  });

  it('runs the filters of the person, who has set them up', async () => {
    const path = traps.set('own', { folder: dirname(project.folder) });
    const config = join(dirname(project.folder), 'gitconfig');
    writeFileSync(config, `[filter "evil"]\n\tsmudge = ${path}\n`);
    traps.reset();
    const { code, stderr } = await project.millrace(RUN, { GIT_CONFIG_GLOBAL: config });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(traps.sprung()).toEqual(['own']);
    // What the repository has them start is asked about all the same.
    git('config', 'core.sshCommand', traps.set('ssh'));
    const refused = await project.millrace(RUN, { GIT_CONFIG_GLOBAL: config });
    expect(refused.stderr).toContain(join('.git', 'ssh'));
    expect(refused.code).toBe(2);
  });

  it('runs no filter of a submodule when uncommitted files are counted', async () => {
    const inside = join(project.folder, 'inside');
    mkdirSync(inside);
    writeFileSync(join(inside, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(inside, 'file'), 'one\n');
    const sub = makeRepository(inside);
    git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inside');
    git('commit', '-qm', 'with a submodule');
    sub('config', 'filter.evil.clean', traps.set('evil'));
    // As new: git has to look what is in it.
    writeFileSync(join(inside, 'file'), 'two\n');
    traps.reset();
    const { code, stderr } = await project.millrace(['run', 'm.yaml', '--git', 'commit']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(traps.sprung()).toEqual([]);
  });

  it.each([
    ['a merge driver', 'merge.evil.driver'],
    ['a program instead of ssh', 'core.sshCommand'],
    ['a proxy', 'core.gitProxy'],
    ['a program that asks for passwords', 'core.askPass'],
    ['one that lists what others have', 'core.alternateRefsCommand'],
    ['a helper for passwords', 'credential.helper'],
    ['one for a single host', 'credential.https://forge.example.com.helper'],
    ['a program that sends', 'remote.origin.uploadpack'],
    ['a program that receives', 'remote.origin.receivepack'],
    ['a way to speak of its own', 'remote.origin.vcs'],
  ])('is asked about %s before a branch is pushed', async (_what, name) => {
    await hasRun();
    git('remote', 'add', 'origin', 'git@forge.example.com:o/r.git');
    const path = traps.set('evil', { ends: true });
    git('config', name, path);
    await expectAsked(['pr'], path);
  });

  it.each([
    ['a program', 'url', 'insteadOf'],
    ['a folder with hooks', 'nested', 'insteadOf'],
    ['a folder with hooks, for pushes alone', 'nested', 'pushInsteadOf'],
    ['a folder with hooks, as the address to push to', 'nested', 'pushurl'],
  ])('is asked about an address that means %s', async (_what, kind, key) => {
    await hasRun();
    const nested = join(project.folder, 'nested.git');
    gitIn(dirname(project.folder))('clone', '-q', '--bare', project.folder, nested);
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update'])
      traps.set(hook, { folder: join(nested, 'hooks') });
    git('remote', 'add', 'origin', 'https://github.com/o/r.git');
    git('config', 'protocol.ext.allow', 'always');
    const address = kind === 'nested' ? nested : `ext::${traps.set('evil', { ends: true })}`;
    if (key === 'pushurl') git('config', 'remote.origin.pushurl', address);
    else git('config', `url.${address}.${key}`, 'https://github.com/o/r.git');
    await expectAsked(['pr', '--base', 'main'], address);
  });

  it('has no object fetched that it says is elsewhere, before anybody was asked how', async () => {
    await hasRun();
    const path = traps.set('evil', { ends: true });
    git('config', 'core.repositoryFormatVersion', '1');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.url', join(project.folder, '.git'));
    git('config', 'remote.origin.uploadpack', path);
    const commits = ['b', 'HEAD'].map((name) => git('rev-parse', name).trim());
    for (const id of commits) {
      rmSync(join(project.folder, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
    }
    traps.reset();
    for (const words of [
      RUN,
      ['plan', 'm.yaml', '--git', 'branch=b'],
      ['revert', '--delete-branch'],
      ['pr'],
      ['pr', 'status'],
    ]) {
      await project.millrace(words, TOKEN);
      expect(traps.sprung(), words.join(' ')).toEqual([]);
    }
  });

  it('is asked before its objects are fetched for a branch', async () => {
    const path = traps.set('evil', { ends: true });
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'remote.origin.uploadpack', path);
    await expectAsked(RUN, path);
  });

  it('has them fetched when the branch needs them', async () => {
    const bare = `${project.folder}.git`;
    const around = gitIn(dirname(project.folder));
    around('clone', '-q', '--bare', project.folder, bare);
    gitIn(bare)('config', 'uploadpack.allowFilter', 'true');
    rmSync(project.folder, { recursive: true });
    around('clone', '-q', '--filter=blob:none', '--sparse', `file://${bare}`, project.folder);
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    const missing = () => git('rev-list', '--objects', '--missing=print', 'HEAD').match(/^\?/gm);
    expect(missing()).not.toBeNull();
    const { code, stderr } = await project.millrace(RUN);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(missing()).toBeNull();
  });

  it('is asked before a review makes the folder of the branch again', async () => {
    await hasRun();
    const path = traps.set('evil');
    git('config', 'filter.evil.smudge', path);
    await expectAsked(['review', '--review-in', 'web'], path);
  });
});
