import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { gitIn, makeRepository, pictureOf } from './repository.ts';
import type { Git } from './repository.ts';

const server = useServer();
let project: RunProject;
let git: Git;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const inProject = (path: string) => join(project.folder, path);
const TRAILERS = '%s|%(trailers:key=Millrace-Stream,valueonly,separator=)';
const runs = (...flags: string[]) => project.millrace(['run', 'm.yaml', '--yes', ...flags]);

async function worktrees(): Promise<string[]> {
  const folder = join(await project.stateDir(), 'worktrees');
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function start(manifest: string): Promise<void> {
  await project.write('m.yaml', manifest);
  git = makeRepository(project.folder);
}

describe('a run on a branch', () => {
  it('is one commit a stream, and leaves the checkout as it is, whatever is not committed there', async () => {
    await start(manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'], verify: ['test -s out/a.md'] }]));
    // Staged, changed and new: none of it is an obstacle, and none of it is part of the branch.
    await project.write('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    await project.write('README.md', 'mine\n');
    mkdirSync(inProject('out'));
    await project.write('out/a.md', 'mine as well\n');
    const before = pictureOf(project.folder);
    const { code, stdout, stderr } = await runs('--git', 'branch', '--signoff');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toMatch(/Branch millrace\/test from [0-9a-f]{10} \(HEAD\); 3 files with/);
    expect(stdout).toContain('On branch millrace/test: 2 commits');
    expect(stdout).toContain('git merge millrace/test');
    expect(pictureOf(project.folder)).toEqual(before);
    expect(git('log', '--reverse', `--format=${TRAILERS}`, 'millrace/test').trim()).toBe(
      'start|\nAbout a|a\nAbout b|b',
    );
    expect(git('show', '--name-only', '--format=', 'millrace/test').trim()).toBe('out/b.md');
    const message = git('log', '-1', '--format=%B', 'millrace/test');
    expect(message).toContain('Write about b.');
    expect(message).toMatch(/^Millrace-Run: run_\w+$/m);
    expect(message).toContain('Signed-off-by: Test <test@example.com>');
    expect(await worktrees()).toEqual([]);
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    // What it suggests can be pasted.
    git('stash', '-u', '-q');
    git('merge', '-q', 'millrace/test');
    expect(readFileSync(inProject('out/b.md'), 'utf8')).not.toBe('');
  });

  it('continues where an earlier run on it ended, by its name, and only there', async () => {
    const streams = [
      { id: 'a' },
      { id: 'b', deps: ['a'], verify: ['test -e ok.txt || { echo AssertionError; exit 1; }'] },
    ];
    await start(manifestOf(streams));
    const failed = await runs('--git', 'branch=work/one', '--max-attempts', '1');
    expect(failed.code).toBe(1);
    expect(git('log', '--format=%s', 'work/one').trim()).toBe('About a\nstart');
    expect(await project.read('m.yaml')).not.toContain('status');
    const plan = await project.millrace(['plan', 'm.yaml', '--git', 'branch=work/one', '--json']);
    const { streams: planned } = JSON.parse(plan.stdout) as {
      streams: Record<string, { action: string }>;
    };
    expect(planned).toMatchObject({ a: { action: 'skip' }, b: { action: 'run' } });
    // The person helps: on the branch, as anybody would.
    git('switch', '-q', 'work/one');
    await project.write('ok.txt', 'ok\n');
    git('add', 'ok.txt');
    git('commit', '-qm', 'help');
    const inUse = await runs('--git', 'branch=work/one');
    expect(inUse.code).toBe(2);
    expect(inUse.stderr).toContain(`work/one is checked out in ${project.folder}`);
    git('switch', '-q', 'main');
    const again = await runs('--git', 'branch=work/one', '--progress', 'json');
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    const started = eventsIn(again.stdout).filter(({ type }) => type === 'stream.started');
    expect(started).toMatchObject([{ stream: 'b' }]);
    expect(git('log', '--format=%s', 'work/one').trim()).toBe('About b\nhelp\nAbout a\nstart');
    // In the person's own files nothing of it has been done.
    const here = await project.millrace(['plan', 'm.yaml', '--json']);
    expect(JSON.parse(here.stdout)).toMatchObject({
      streams: { a: { action: 'run' }, b: { action: 'run' } },
    });
  });

  it('has the installed packages and the files that the person names, and commits neither', async () => {
    const verify = [
      'test -f node_modules/tool/index.js',
      'test -f .env.check',
      'echo changed > node_modules/tool/index.js',
    ];
    await start(manifestOf([{ id: 'a', verify }]));
    await project.write('.gitignore', 'node_modules\n.env.check\n');
    git('add', '.gitignore');
    git('commit', '-qm', 'ignore');
    mkdirSync(inProject('node_modules/tool'), { recursive: true });
    await project.write('node_modules/tool/index.js', 'as installed');
    await project.write('.env.check', 'CHECK=1');
    const config = join(project.settings['XDG_CONFIG_HOME']!, 'millrace');
    mkdirSync(config, { recursive: true });
    const rights = { [project.folder]: { worktreeCopy: ['.env.check', 'missing.env'] } };
    writeFileSync(join(config, 'config.yaml'), JSON.stringify({ projects: rights }));
    const { code, stdout, stderr } = await runs('--git', 'branch', '--progress', 'json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const notes = eventsIn(stdout).filter(({ type }) => type === 'run.note');
    expect(notes).toMatchObject([
      { code: 'NOT_COPIED', message: expect.stringContaining('missing.env') },
    ]);
    expect(await project.read('node_modules/tool/index.js')).toBe('as installed');
    expect(git('ls-tree', '-r', '--name-only', 'millrace/test')).not.toMatch(/env|node_modules/);
    expect(await worktrees()).toEqual([]);
  });

  it.skipIf(NO_SANDBOX !== undefined)(
    'has the packages in the sandbox as well, where nothing that is written to them stays',
    async () => {
      const verify = ['grep -q installed node_modules/tool.js && echo x > node_modules/tool.js'];
      await start(
        manifestOf([
          { id: 'a', verify },
          { id: 'b', deps: ['a'], verify },
        ]),
      );
      await project.write('.gitignore', 'node_modules\n');
      git('add', '.gitignore');
      git('commit', '-qm', 'ignore');
      mkdirSync(inProject('node_modules'));
      await project.write('node_modules/tool.js', 'installed');
      const { code, stderr } = await runs('--git', 'branch', '--sandbox-commands');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(git('log', '--format=%s', 'millrace/test').trim()).toBe(
        'About b\nAbout a\nignore\nstart',
      );
      expect(await project.read('node_modules/tool.js')).toBe('installed');
    },
  );

  it('has all files where the person has left some out, and little history', async () => {
    await start(manifestOf([{ id: 'a', verify: ['test -f package.json && test -f src/book.ts'] }]));
    git('sparse-checkout', 'set', 'test');
    expect(existsSync(inProject('src'))).toBe(false);
    const sparse = await runs('--git', 'branch');
    expect({ code: sparse.code, stderr: sparse.stderr }).toMatchObject({ code: 0 });
    expect(existsSync(inProject('src'))).toBe(false);
    expect(git('ls-tree', '-r', '--name-only', 'millrace/test')).toContain('src/book.ts');
    const shallow = `${project.folder}-shallow`;
    git('clone', '-q', '--depth', '1', `file://${project.folder}`, shallow);
    const again = await project.millrace(
      ['-C', shallow, 'run', 'm.yaml', '--yes', '--git', 'branch'],
      {
        GIT_AUTHOR_NAME: 'Test',
        GIT_AUTHOR_EMAIL: 'test@example.com',
        GIT_COMMITTER_NAME: 'Test',
        GIT_COMMITTER_EMAIL: 'test@example.com',
      },
    );
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(gitIn(shallow)('log', '--format=%s', 'millrace/test').trim()).toBe('About a\nstart');
  });

  it('works in the part of a repository that is the project', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a', verify: ['test -f package.json'] }]));
    const top = join(project.folder, '..');
    writeFileSync(join(top, '.gitignore'), '/*\n!/bookshelf\n');
    git = makeRepository(top);
    const { code, stderr } = await runs('--git', 'branch');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(git('show', '--name-only', '--format=', 'millrace/test').trim()).toBe(
      'bookshelf/out/a.md',
    );
    expect(await worktrees()).toEqual([]);
  });

  it('keeps what commands leave behind, and says where', async () => {
    await start(manifestOf([{ id: 'a', verify: ['echo log > made-by-check.txt'] }]));
    const { code, stderr } = await runs('--git', 'branch');
    expect(code).toBe(0);
    const [folder = ''] = await worktrees();
    const kept = join(await project.stateDir(), 'worktrees', folder);
    expect(stderr).toContain('made-by-check.txt');
    expect(stderr).toContain(kept);
    expect(existsSync(join(kept, 'made-by-check.txt'))).toBe(true);
    rmSync(join(kept, 'made-by-check.txt'));
    // Nothing in it would be lost any more: the next run tidies up.
    expect((await runs('--git', 'branch=another')).code).toBe(0);
    expect(await worktrees()).toHaveLength(1);
  });

  it('says which of its files git ignores, and does not commit them', async () => {
    await project.write('.gitignore', 'b.md\n');
    await start(manifestOf([{ id: 'a' }, { id: 'b' }]));
    const { code, stderr } = await runs('--git', 'branch');
    expect(code).toBe(0);
    expect(stderr).toContain('Not committed, because git ignores them: out/b.md');
    expect(git('log', '--format=%s', 'millrace/test').trim()).toBe('About a\nstart');
  });

  it('is taken back with its branch, when asked, and never when others worked on it', async () => {
    await start(manifestOf([{ id: 'a' }]));
    expect((await runs('--git', 'branch=one')).code).toBe(0);
    const refused = await project.millrace(['revert']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--delete-branch');
    git('switch', '-q', 'one');
    git('commit', '-q', '--amend', '--no-edit', '--date=2020-01-01T00:00:00Z');
    git('switch', '-q', 'main');
    const others = await project.millrace(['revert', '--delete-branch']);
    expect(others.code).toBe(1);
    expect(others.stderr).toContain('a commit that no run made');
    expect(git('branch', '--list', 'one').trim()).toBe('one');
    expect((await runs('--git', 'branch=two')).code).toBe(0);
    const gone = await project.millrace(['revert', '--delete-branch']);
    expect(gone).toMatchObject({ code: 0, stdout: 'Deleted the branch two with 1 commit.\n' });
    expect(git('branch', '--list', 'two')).toBe('');
    // One of the same name is another one: everything is done anew.
    const anew = await runs('--git', 'branch=two');
    expect(anew.stdout).toContain('On branch two: 1 commit');
  });

  it.each([
    ['no repository', () => rmSync(inProject('.git'), { recursive: true }), 'not a git repository'],
    ['a branch of the person', () => git('branch', 'mine'), 'no run of this project made it'],
    ['a name that is none', () => git('branch', 'x'), 'does not take this as the name', 'a..b'],
    [
      'submodules',
      () => {
        git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},lib/other`);
        git('commit', '-qm', 'module');
      },
      'submodules (lib/other)',
    ],
  ])('is refused clearly: %s', async (_what, arrange, message, name = 'mine') => {
    await start(manifestOf([{ id: 'a' }]));
    arrange();
    const env = { GIT_CEILING_DIRECTORIES: join(project.folder, '..') };
    const { code, stderr } = await project.millrace(
      ['run', 'm.yaml', '--git', `branch=${name}`],
      env,
    );
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain(message);
    expect(await worktrees()).toEqual([]);
  });

  it('is not combined with keeping the work for later', async () => {
    await start(manifestOf([{ id: 'a' }]));
    const { code, stderr } = await runs('--git', 'branch', '--apply', 'never');
    expect({ code, stderr }).toMatchObject({ code: 2 });
    const wrong = await runs('--git', 'brunch');
    expect(wrong.stderr).toContain('write commit, branch or branch=NAME');
  });
});
