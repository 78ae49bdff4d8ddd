import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useServer } from '../support/use-server.ts';
import type { Asked, ForgeDouble } from './forge-double.ts';
import { forgeProjectOf } from './forge-project.ts';
import type { ForgeProject } from './forge-project.ts';
import { gitIn, pictureOf } from './repository.ts';
import type { Git } from './repository.ts';

const server = useServer();
const KINDS = ['github', 'gitlab'] as const;

let project: RunProject;
let forge: ForgeDouble;
let git: Git;
let there: Git;
let at: ForgeProject;
let pr: ForgeProject['pr'];
let once: ForgeProject['once'];

/** A project with a forge behind its remote, and a branch that a run has made. */
async function start(
  kind: (typeof KINDS)[number],
  { manifest = manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]), before = () => {} } = {},
): Promise<void> {
  before();
  at = await forgeProjectOf(project, kind, manifest);
  ({ forge, git, there, pr, once } = at);
  const ran = await project.millrace(['run', 'm.yaml', '--yes', '--git', 'branch=work']);
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
}

beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(async () => {
  await forge.close();
  await project.remove();
  expect(forge.faults).toEqual([]);
});

/** As a process of its own, beside others. */
async function prBeside(): Promise<{ code: number | null; stderr: string }> {
  const started = project.start(['pr', '--yes']);
  return { code: await started.ended, stderr: started.stderr() };
}

const log = (where: Git) => where('log', '--format=%s', 'work').trim().split('\n');

const isOpening = ({ method, path }: Asked) =>
  method === 'POST' && /\/(pulls|merge_requests)$/.test(path);

describe.each(KINDS)('a pull request on %s', (kind) => {
  it('is opened once, with plan, checks and run, and brought up to date afterwards', async () => {
    const manifest = manifestOf([
      { id: 'a', verify: ['test -s out/a.md'] },
      { id: 'b', deps: ['a'], directives: 'Fixes #7, thanks @octocat <img src=x>' },
    ]);
    await start(kind, {
      manifest,
      before() {
        const [folder, file] =
          kind === 'github'
            ? ['.github', 'pull_request_template.md']
            : ['.gitlab/merge_request_templates', 'Default.md'];
        mkdirSync(join(project.folder, folder), { recursive: true });
        writeFileSync(join(project.folder, folder, file), 'Our own questions\n');
      },
    });
    const before = pictureOf(project.folder);
    const opened = await pr('--draft', '--reviewer', 'octocat');
    expect({ code: opened.code, stderr: opened.stderr }).toMatchObject({ code: 0 });
    const name = kind === 'github' ? 'pull request #1' : 'merge request !1';
    expect(opened.stdout).toContain(`${name} with 2 commits: https://forge.example.com/o/r/`);
    expect(log(there)).toEqual(['About b', 'About a', 'start']);
    const [request] = forge.requests;
    expect(request).toMatchObject({ head: 'work', base: 'main', state: 'open' });
    expect(kind === 'github' ? request!.draft : request!.title.startsWith('Draft: ')).toBe(true);
    expect(request!.reviewers).toEqual(kind === 'github' ? ['octocat'] : [7]);
    expect(request!.body).toContain('Our own questions');
    expect(request!.body).toContain('Fixes #7');
    // Nobody is notified and nothing is drawn by what a plan says.
    expect(request!.body).not.toContain('@octocat');
    expect(request!.body).not.toContain('<img');
    expect(request!.body).toContain('| a | `test -s out/a.md` | passed |');
    expect(request!.body).toMatch(/run_\w+/);
    expect(forge.asked.every(({ token }) => token?.endsWith('token-of-me'))).toBe(true);
    const again = await pr('--title', 'A better name');
    expect(again.stdout).toContain('Updated');
    expect(forge.requests).toHaveLength(1);
    // It is a draft still: on GitLab, the title says so.
    const mark = kind === 'github' ? '' : 'Draft: ';
    expect(forge.requests[0]!.title).toBe(`${mark}A better name`);
    forge.checks.push({ name: 'build', status: 'completed', conclusion: 'failure' });
    const status = await project.millrace(['pr', 'status']);
    expect(status.code).toBe(1);
    expect(status.stdout).toMatch(/A better name.*\(open/);
    expect(status.stdout).toMatch(/build +failed/);
    expect(pictureOf(project.folder)).toMatchObject(
      Object.fromEntries(Object.entries(before).filter(([path]) => path !== '.git/config')),
    );
  });

  it('is one, whatever is lost on the way and however often it is asked for', async () => {
    await start(kind);
    // The answer is lost, and so may be the call.
    for (const afterwards of [false, true]) {
      once(isOpening, { status: 0, body: {}, afterwards });
      const lost = await pr();
      expect(lost.code).toBe(6);
      expect(lost.stderr).toContain('cannot be reached');
    }
    const both = await Promise.all([prBeside(), prBeside()]);
    expect(both.map(({ code }) => code)).toContain(0);
    expect(forge.requests).toHaveLength(1);
    expect(log(there)).toEqual(['About b', 'About a', 'start']);
  });

  it('waits where the forge asks for it, and says what it refuses', async () => {
    await start(kind);
    once(isOpening, {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ field: 'base', code: 'invalid' }] },
    });
    const invalid = await pr();
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toContain('base invalid');
    once(isOpening, {
      status: kind === 'github' ? 403 : 429,
      headers: { 'retry-after': '1' },
      body: { message: 'You have exceeded a secondary rate limit.' },
    });
    const waited = await pr();
    expect({ code: waited.code, stderr: waited.stderr }).toMatchObject({ code: 0 });
    expect(waited.stderr).toContain('asks to wait 1 s');
    once(() => true, { status: 401, body: { message: 'Bad credentials' } });
    const refused = await pr();
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('Bad credentials');
    expect(refused.stderr).toContain(kind === 'github' ? 'GH_TOKEN' : 'GITLAB_TOKEN');
    const nothing = { GH_TOKEN: '', GITLAB_TOKEN: '', GIT_CONFIG_GLOBAL: '/dev/null' };
    const none = await project.millrace(['pr', '--yes'], nothing);
    expect(none.stderr).toContain('There is no token for forge.example.com');
  });
});

describe.each(KINDS)('a stack on %s', (kind) => {
  const streams = [{ id: 'd', deps: ['b'] }, { id: 'b', deps: ['a'] }, { id: 'a' }, { id: 'c' }];
  const mark = kind === 'github' ? '#' : '!';

  it('has a request for each wave, on top of the one before, and is one after any crash', async () => {
    await start(kind, { manifest: manifestOf(streams) });
    // The second one is opened, and nobody hears of it.
    let openings = 0;
    forge.next = (asked) => {
      if (!isOpening(asked)) return undefined;
      openings += 1;
      return openings === 2 ? { status: 0, body: {}, afterwards: true } : undefined;
    };
    expect((await pr('--stack')).code).toBe(6);
    const moved = 'moved.txt';
    await project.write(moved, 'meanwhile\n');
    git('add', moved);
    git('commit', '-qm', 'meanwhile');
    git('push', '-q', 'origin', 'main');
    const opened = await pr('--stack');
    expect({ code: opened.code, stderr: opened.stderr }).toMatchObject({ code: 0 });
    expect(opened.stdout).toContain(`It is on top of ${kind === 'github' ? '#1, #2' : '!1, !2'}.`);
    expect(forge.requests.map(({ head, base }) => [head, base])).toEqual([
      ['work-part-1', 'main'],
      ['work-part-2', 'work-part-1'],
      ['work', 'work-part-2'],
    ]);
    expect(forge.requests[0]!.title).toMatch(/\(1 of 3\)$/);
    const of = (range: string) =>
      there('log', '--no-merges', '--format=%s', range).trim().split('\n');
    expect(of('main..work-part-1').sort()).toEqual(['About a', 'About c']);
    expect(of('work-part-1..work-part-2')).toEqual(['About b']);
    expect(of('work-part-2..work')).toContain('About d');
    const headings = forge.requests.map(({ body }) =>
      [...body.matchAll(/^### (.*)$/gm)].map(([, name]) => name),
    );
    expect(headings).toEqual([['About a', 'About c'], ['About b'], ['About d']]);
    expect(forge.requests[2]!.body).toContain(`1. ${mark}1\n2. ${mark}2\n3. this one`);
    // Taken over there: what was on top of it goes to where it went.
    forge.requests[0]!.state = 'closed';
    forge.requests[0]!.merged = true;
    const again = await pr();
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(forge.requests).toHaveLength(3);
    expect(forge.requests.map(({ base }) => base)).toEqual(['main', 'main', 'work-part-2']);
  });

  it('is one request where there is one wave, and is not begun late', async () => {
    await start(kind, { manifest: manifestOf([{ id: 'a' }, { id: 'c' }]) });
    expect((await pr('--stack')).code).toBe(0);
    expect(forge.requests.map(({ head, title }) => [head, title.includes('of')])).toEqual([
      ['work', false],
    ]);
    const late = await pr('--stack');
    expect(late.code).toBe(1);
    expect(late.stderr).toContain('Leave out --stack');
  });
});

describe('the branch of a pull request', () => {
  it('is put on top of what it is for, before anybody has seen it; later it only grows', async () => {
    await start('github');
    await project.write('other.txt', 'of somebody else\n');
    git('add', 'other.txt');
    git('commit', '-qm', 'other');
    git('push', '-q', 'origin', 'main');
    expect((await pr()).code).toBe(0);
    expect(log(there)).toEqual(['About b', 'About a', 'other', 'start']);
    const first = there('rev-parse', 'work').trim();
    await project.write('more.txt', 'more\n');
    git('add', 'more.txt');
    git('commit', '-qm', 'more');
    git('push', '-q', 'origin', 'main');
    const again = await pr();
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(log(there)).toContain('Merge main into work');
    expect(there('merge-base', '--is-ancestor', first, 'work')).toBe('');
    // Still only ours: it can be taken back here.
    const dropped = await project.millrace(['revert', '--delete-branch']);
    expect({ code: dropped.code, stderr: dropped.stderr }).toMatchObject({ code: 0 });
  });

  it('is not pushed when a check fails on what it would be', async () => {
    const verify = ['test ! -e breaks.txt'];
    await start('github', { manifest: manifestOf([{ id: 'a', verify }]) });
    await project.write('breaks.txt', 'x\n');
    git('add', 'breaks.txt');
    git('commit', '-qm', 'breaks it');
    git('push', '-q', 'origin', 'main');
    const failed = await pr();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('Nothing was pushed: a fails its check');
    expect(there('branch', '--list', 'work')).toBe('');
    expect(forge.requests).toEqual([]);
  });

  it('names the files that stand against it, and leaves it as it is', async () => {
    await start('github');
    const before = git('rev-parse', 'work');
    mkdirSync(join(project.folder, 'out'));
    await project.write('out/a.md', 'another a\n');
    git('add', '.');
    git('commit', '-qm', 'the same file');
    git('push', '-q', 'origin', 'main');
    const { code, stderr } = await pr();
    expect(code).toBe(1);
    expect(stderr).toContain('out/a.md');
    expect(stderr).toContain('git rebase');
    expect(git('rev-parse', 'work')).toBe(before);
  });

  it('is never pushed over what others have pushed there', async () => {
    await start('github');
    expect((await pr()).code).toBe(0);
    const other = `${project.folder}-other`;
    gitIn(join(project.folder, '..'))('clone', '-q', '-b', 'work', `${project.folder}.git`, other);
    const theirs = gitIn(other);
    theirs('config', 'user.name', 'Other');
    theirs('config', 'user.email', 'other@example.com');
    theirs('commit', '-q', '--allow-empty', '-m', 'theirs');
    theirs('push', '-q');
    git('switch', '-q', 'work');
    git('commit', '-q', '--allow-empty', '-m', 'mine');
    git('switch', '-q', 'main');
    const { code, stderr } = await pr();
    expect(code).toBe(1);
    expect(stderr).toContain('has commits that are not from here');
    expect(log(there)[0]).toBe('theirs');
  });

  it('has the fixes of a stream in the commit of the stream', async () => {
    const streams = [
      { id: 'a', verify: ['test -s out/a.md'] },
      { id: 'b', deps: ['a'] },
    ];
    await start('github', { manifest: manifestOf(streams) });
    // Done again on the same branch: a second commit of the same stream.
    writeFileSync(
      join(project.folder, 'm.yaml'),
      manifestOf([{ ...streams[0]!, directives: 'Differently.' }, streams[1]!]),
    );
    const again = await project.millrace([
      'run',
      'm.yaml',
      '--yes',
      '--git',
      'branch=work',
      '--only',
      'a',
    ]);
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(log(git)).toEqual(['About a', 'About b', 'About a', 'start']);
    const last = git('show', 'work:out/a.md');
    const { code, stderr } = await pr();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(log(there)).toEqual(['About b', 'About a', 'start']);
    expect(there('show', 'work:out/a.md')).toBe(last);
  });

  it('is pushed when a person has approved this very commit, where the manifest wants that', async () => {
    const manifest = `approve: [push]\n${manifestOf([{ id: 'a' }])}`;
    await start('github', { manifest });
    const questions = async () => {
      const { stdout } = await project.millrace(['approvals', 'list', '--json']);
      return (JSON.parse(stdout) as { items: { id: string; title: string }[] }).items;
    };
    const asking = async () => {
      const pushing = prBeside();
      await expect.poll(questions).toHaveLength(1);
      const [question] = await questions();
      return { pushing, question: question! };
    };
    const first = await asking();
    expect(first.question.title).toContain(git('rev-parse', '--short=10', 'work').trim());
    expect(there('branch', '--list', 'work')).toBe('');
    expect(await project.millrace(['approvals', 'deny', first.question.id])).toMatchObject({
      code: 0,
    });
    const denied = await first.pushing;
    expect(denied.code).toBe(1);
    expect(denied.stderr).toContain('denied the push');
    expect(there('branch', '--list', 'work')).toBe('');
    git('switch', '-q', 'work');
    git('commit', '-q', '--allow-empty', '-m', 'another commit');
    git('switch', '-q', 'main');
    const second = await asking();
    expect(await project.millrace(['approvals', 'approve', second.question.id])).toMatchObject({
      code: 0,
    });
    expect((await second.pushing).code).toBe(0);
    expect(log(there)[0]).toBe('another commit');
    // The same commit was approved already.
    expect((await pr()).code).toBe(0);
  });

  it('is refused for a run in the checkout, and a remote that is no forge', async () => {
    await start('github');
    expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
    expect((await pr()).stderr).toContain('did not work on a branch');
    const runs = JSON.parse((await project.millrace(['runs', '--json'])).stdout) as {
      runs: { runId: string }[];
    };
    const onBranch = runs.runs.at(-1)!.runId;
    const unknown = await pr(onBranch, '--remote', 'upstream');
    expect(unknown.stderr).toContain('Name one with --remote: origin');
    git('remote', 'add', 'upstream', `${project.folder}.git`);
    const folder = await pr(onBranch, '--remote', 'upstream');
    expect(folder.stderr).toContain('is not on GitHub or GitLab');
    expect(readFileSync(join(project.folder, 'm.yaml'), 'utf8')).toContain('complete');
  });
});
