import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { waitUntil } from '../support/processes.ts';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer();
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project.folder, encoding: 'utf8' });
}

function makeRepository(): void {
  git('init', '-q');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.com');
  git('config', 'core.excludesFile', '/dev/null');
  git('add', '.');
  git('commit', '-qm', 'start');
}

describe('what a run changed', () => {
  it('is shown as a patch that git takes, and taken back as one', async () => {
    makeRepository();
    const before = git('status', '--porcelain');
    expect((await project.millrace(['run', 'feature.yaml', '--yes'])).code).toBe(0);
    const { stdout: patch } = await project.millrace(['diff']);
    expect(patch).toContain('+++ b/src/search.ts');
    expect(patch).not.toContain('\u001b');
    const one = await project.millrace(['diff', 'search', '--stat']);
    expect(one.stdout).toMatch(/src\/search\.ts {2}create {2}\+8 -0\n 1 file changed/);
    const reverted = await project.millrace(['revert']);
    expect(reverted.code).toBe(0);
    expect(reverted.stdout).toContain('Reverted 6 files');
    expect(existsSync(join(project.folder, 'docs/usage.md'))).toBe(false);
    expect(git('status', '--porcelain', '--', 'src', 'test', 'docs')).toBe(before);
    const manifest = await project.read('feature.yaml');
    expect(manifest).not.toContain('appliedAt');
    expect(manifest).not.toContain('status: complete');
    execFileSync('git', ['apply', '-'], { cwd: project.folder, input: patch });
    expect(await project.read('src/search.ts')).toContain('toLowerCase');
    const twice = await project.millrace(['revert']);
    expect(twice.stdout).toContain('nothing to revert');
  });

  it('is not taken back when a file was changed since, unless forced', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b' }]));
    expect((await project.millrace(['run', 'm.yaml'])).code).toBe(0);
    await project.write('out/a.md', 'mine now\n');
    const refused = await project.millrace(['revert']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('out/a.md');
    expect(existsSync(join(project.folder, 'out/b.md'))).toBe(true);
    const forced = await project.millrace(['revert', '--force', '--json']);
    expect(forced.code).toBe(0);
    expect(JSON.parse(forced.stdout)).toMatchObject({
      files: ['out/a.md', 'out/b.md'],
      streams: ['a', 'b'],
    });
    expect(existsSync(join(project.folder, 'out'))).toBe(false);
  });

  it('is kept with --apply never and written by millrace apply, checked stream by stream', async () => {
    const streams = [
      { id: 'a', verify: ['test -s out/a.md'] },
      {
        id: 'b',
        deps: ['a'],
        verify: ['test -e allowed || { echo AssertionError: not allowed; exit 1; }'],
      },
    ];
    await project.write('m.yaml', manifestOf(streams));
    const kept = await project.millrace(['run', 'm.yaml', '--yes', '--apply', 'never']);
    expect(kept.code).toBe(0);
    expect(kept.stdout).toMatch(/millrace -C \S+ apply run_/);
    expect(existsSync(join(project.folder, 'out'))).toBe(false);
    const shown = await project.millrace(['diff']);
    expect(shown.stdout).toMatch(/\+\+\+ b\/out\/a\.md[^]*\+\+\+ b\/out\/b\.md/);
    expect(shown.stderr).toMatch(/Not applied yet\. Apply with: .* apply run_/);
    expect((await project.millrace(['diff', 'b', '--stat'])).stdout).toMatch(
      / out\/b\.md {2}create {2}\+\d+ -0\n 1 file changed/,
    );
    const first = await project.millrace(['apply']);
    expect(first.code).toBe(1);
    expect(first.stdout).toBe('applied a  out/a.md\n');
    expect(first.stderr).toMatch(/b was not applied: test -e allowed .* exited with 1/);
    expect(first.stderr).toContain('  AssertionError: not allowed\n');
    expect(first.stderr).toContain(`millrace -C ${project.folder} run m.yaml --only b`);
    expect(existsSync(join(project.folder, 'out/b.md'))).toBe(false);
    const rest = JSON.parse((await project.millrace(['diff', '--json'])).stdout) as {
      files: object[];
      pending: object[];
    };
    expect(rest).toMatchObject({ files: [{ path: 'out/a.md' }], pending: [{ path: 'out/b.md' }] });
    await project.write('allowed', '');
    const second = await project.millrace(['apply', '--json']);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({
      applied: [{ stream: 'b', files: ['out/b.md'] }],
    });
    const manifest = await project.read('m.yaml');
    expect(manifest.match(/appliedAt/g)).toHaveLength(2);
    expect((await project.millrace(['apply'])).code).toBe(2);
    expect((await project.millrace(['revert'])).code).toBe(0);
    expect(existsSync(join(project.folder, 'out'))).toBe(false);
  });

  it('is committed stream by stream with --git commit, and nothing else with it', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]));
    makeRepository();
    await project.write('other.txt', 'staged\n');
    git('add', 'other.txt');
    const { code, stderr } = await project.millrace(['run', 'm.yaml', '--git', 'commit']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const log = git(
      'log',
      '--reverse',
      '--format=%s|%(trailers:key=Millrace-Stream,valueonly,separator=)',
    );
    expect(log.trim().split('\n')).toEqual(['start|', 'About a|a', 'About b|b']);
    expect(git('show', '--name-only', '--format=', 'HEAD').trim()).toBe('out/b.md');
    expect(git('status', '--porcelain', '--', 'other.txt')).toBe('A  other.txt\n');
  });

  it('is not begun with --git commit where a commit could take other work along', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const bare = await project.millrace(['run', 'm.yaml', '--git', 'commit'], {
      GIT_CEILING_DIRECTORIES: join(project.folder, '..'),
    });
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain('not a git repository');
    makeRepository();
    execFileSync('mkdir', ['-p', join(project.folder, 'out')]);
    await project.write('out/a.md', 'mine\n');
    const dirty = await project.millrace(['run', 'm.yaml', '--git', 'commit']);
    expect(dirty.code).toBe(2);
    expect(dirty.stderr).toContain('out/a.md');
    expect(await project.read('out/a.md')).toBe('mine\n');
  });
});

describe('the runs of a project', () => {
  it('are listed newest first, whole in a pipe, and named by the beginning of their ids', async () => {
    const none = await project.millrace(['runs']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('no runs in this project yet');
    const name = 'A manifest with a name that is much longer than any terminal is wide';
    await project.write('m.yaml', manifestOf([{ id: 'api' }, { id: 'app' }]).replace('Test', name));
    expect((await project.millrace(['run', 'm.yaml', '--only', 'api'])).code).toBe(0);
    expect((await project.millrace(['run', 'm.yaml'])).code).toBe(0);
    const { runs, total } = JSON.parse((await project.millrace(['runs', '--json'])).stdout) as {
      runs: { runId: string; state: string; startedAt: string }[];
      total: number;
    };
    expect(total).toBe(2);
    expect(runs.map(({ state }) => state)).toEqual(['complete', 'complete']);
    const ids = runs.map(({ runId }) => runId);
    expect(ids).toEqual([...ids].sort().toReversed());
    const [head, ...lines] = (await project.millrace(['runs'])).stdout.trimEnd().split('\n');
    expect(head).toMatch(/^RUN +STATE +STARTED +STREAMS +COST +MANIFEST$/);
    expect(lines).toHaveLength(2);
    // Only a terminal has a width.
    for (const line of lines) expect(line.endsWith(name)).toBe(true);
    const at = new Date(runs[0]!.startedAt);
    const clock = [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0'));
    expect(lines[0]).toContain(` ${clock.join(':')}  2/2 `);
    // What the list shows is enough, with or without what all ids begin with.
    const shown = lines[1]!.split(' ')[0]!;
    for (const asked of [shown, shown.slice(4)]) {
      const one = await project.millrace(['status', asked, '--json']);
      expect(JSON.parse(one.stdout)).toMatchObject({ runId: ids[1] });
    }
    const one = await project.millrace(['runs', '--limit', '1']);
    expect(one.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(one.stderr).toContain('1 of 2 runs');
    const ambiguous = await project.millrace(['status', ids[0]!.slice(4, 8), '--json']);
    expect(ambiguous.code).toBe(2);
    const { error } = JSON.parse(ambiguous.stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('AMBIGUOUS_ID');
    for (const id of ids) expect(error.hint).toContain(id);
    expect((await project.millrace(['logs', 'ap'])).stderr).toContain('api, app');
    expect((await project.millrace(['logs', 'app', '--json'])).stdout).toContain('"app"');
    expect((await project.millrace(['run', 'm.yaml', '--dry-run', '--only', 'ap'])).code).toBe(2);
  });

  it('are stopped in order from elsewhere, and say how to resume', async () => {
    const slow = [{ id: 'a', directives: '[[sim:delay 60000]]' }];
    await project.write('m.yaml', manifestOf(slow));
    const run = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => run.stdout().includes('"stream.job"'), 'the job');
    const stopped = await project.millrace(['stop']);
    expect(stopped.code).toBe(0);
    expect(stopped.stdout).toMatch(/^run_\w+ stopped\.\n$/);
    expect(stopped.stderr).toMatch(/Resume it with: .*run m\.yaml/);
    expect(await run.ended).toBe(130);
    expect(eventsIn(run.stdout()).at(-1)).toMatchObject({ type: 'run.cancelled' });
    const twice = await project.millrace(['stop', '--json']);
    expect(twice.code).toBe(1);
    expect(JSON.parse(twice.stdout)).toMatchObject({ error: { code: 'RUN_NOT_RUNNING' } });
  });

  it('are killed when that is asked for, and no other process in their place', async () => {
    const slow = [{ id: 'a', directives: '[[sim:delay 60000]]' }];
    await project.write('m.yaml', manifestOf(slow));
    const run = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => run.stdout().includes('"stream.job"'), 'the job');
    const killed = await project.millrace(['stop', '--force']);
    expect(killed.stdout).toMatch(/was killed/);
    await run.ended;
    expect(run.child.signalCode).toBe('SIGKILL');
    // The number of its process is that of another one now.
    const bystander = spawn('sleep', ['300']);
    try {
      const lock = join(await project.stateDir(), 'lock');
      const holder = JSON.parse(readFileSync(lock, 'utf8')) as object;
      writeFileSync(lock, JSON.stringify({ ...holder, pid: bystander.pid }));
      const other = await project.millrace(['stop', '--force']);
      expect(other.code).toBe(1);
      expect(other.stderr).toContain('is not running (interrupted)');
      expect(bystander.signalCode).toBeNull();
    } finally {
      bystander.kill('SIGKILL');
    }
  });
});

describe('looking at a run', () => {
  it('shows its status as text and as one document', async () => {
    expect((await project.millrace(['run', 'feature.yaml', '--yes'])).code).toBe(0);
    const text = await project.millrace(['status']);
    expect(text.stdout).toMatch(/Wave 2 {2}3\/3\n/);
    expect(text.stdout).toMatch(/└ ✓ search-fix-1/);
    const { stdout } = await project.millrace(['status', '--json']);
    const document = JSON.parse(stdout) as { runId: string; streams: Record<string, object> };
    expect(document).toMatchObject({
      status: 'complete',
      file: 'feature.yaml',
      streams: {
        search: { status: 'complete', wave: 2 },
        'search-fix-1': { fixOf: 'search', files: ['src/search.ts'] },
      },
      totals: { fixes: 1 },
    });
    const byPrefix = await project.millrace(['status', document.runId.slice(0, 12), '--json']);
    expect(byPrefix.code).toBe(0);
    const logs = await project.millrace(['logs', 'search']);
    expect(logs.stdout).toContain('exited with 1');
    expect(logs.stdout).toMatch(/\| .*AssertionError|\| .*not ok|\| .*failing tests/);
    expect(logs.stdout).not.toContain('src/config.ts');
    expect((await project.millrace(['logs', 'serch'])).stderr).toContain('Did you mean search?');
  });

  it('shows of one stream its own lines and those of the run only', async () => {
    const failing = { verify: ['exit 1'] };
    const streams = [{ id: 'good' }, { id: 'bad', ...failing }, { id: 'worse', ...failing }];
    await project.write('m.yaml', manifestOf(streams));
    const run = ['run', 'm.yaml', '--yes', '--max-attempts', '2'];
    expect((await project.millrace(run)).code).toBe(1);
    const good = await project.millrace(['logs', 'good']);
    expect(good.stdout).toContain('out/good.md');
    expect(good.stdout).not.toMatch(/bad|worse/);
    const bad = await project.millrace(['logs', 'bad']);
    expect(bad.stdout).toContain('bad-fix-1 is not retried');
    expect(bad.stdout).not.toMatch(/good|worse/);
    const lines = eventsIn((await project.millrace(['logs', 'good', '--json'])).stdout);
    expect(lines.length).toBeGreaterThan(3);
    expect(JSON.stringify(lines.filter(({ type }) => type === 'run.note'))).not.toMatch(
      /bad|worse/,
    );
  });

  it('follows a run in the background until its end', async () => {
    const slow = manifestOf([
      { id: 'a', directives: '[[sim:delay 1500]]' },
      { id: 'b', deps: ['a'] },
    ]);
    await project.write('m.yaml', slow);
    const { code, stdout } = await project.millrace(['run', 'm.yaml', '--detach']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^run_\w+\n$/);
    const runId = stdout.trim();
    const stateDir = await project.stateDir();
    const journal = join(stateDir, 'runs', runId, 'journal.jsonl');
    expect(readFileSync(journal, 'utf8')).toContain('"run.started"');
    const [watched, logged] = await Promise.all([
      project.millrace(['watch', runId, '--json']),
      project.millrace(['logs', runId, 'b', '-f', '--json']),
    ]);
    expect(watched.code).toBe(0);
    expect(logged.code).toBe(0);
    const ofOne = eventsIn(logged.stdout);
    expect(ofOne.at(-1)).toMatchObject({ type: 'run.completed' });
    expect(ofOne.some((event) => 'stream' in event && event.stream === 'a')).toBe(false);
    expect(eventsIn(watched.stdout).at(-1)).toMatchObject({ type: 'run.completed' });
    expect(existsSync(join(project.folder, 'out/b.md'))).toBe(true);
    await waitUntil(() => !existsSync(join(stateDir, 'lock')), 'its end');
  });

  it('tells that its process is gone; the next run goes on with it and asks nothing twice', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a', directives: '[[sim:delay 1500]]' }]));
    const run = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => run.stdout().includes('"stream.job"'), 'the job');
    run.child.kill('SIGKILL');
    await run.ended;
    const { stdout } = await project.millrace(['status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted' });
    const explained = await project.millrace(['explain']);
    expect(explained.stdout).toContain('its process is gone');
    const watched = await project.millrace(['watch']);
    expect(watched.code).toBe(1);
    expect(watched.stderr).toMatch(/Resume with: \S*millrace -C \S+ run m\.yaml\n/);
    const again = await project.millrace(['run', 'm.yaml', '--json']);
    expect(again.code).toBe(0);
    const events = eventsIn(again.stdout);
    expect(events[0]).toMatchObject({ type: 'run.started', resumed: true });
    const { rows } = await server().db.query<{ count: number }>(
      `select count(*)::int as count from jobs where run_id = $1`,
      [(events[0] as { runId: string }).runId],
    );
    expect(rows[0]?.count).toBe(1);
  });

  it('says why a run in the background did not begin', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const away = { MILLRACE_URL: 'http://127.0.0.1:9' };
    const { code, stderr } = await project.millrace(['run', 'm.yaml', '--detach'], away);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('Could not reach'),
    });
  });
});
