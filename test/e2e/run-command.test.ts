import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from '../../src/orchestrator/state/lock.ts';
import { callFileOf } from '../../src/orchestrator/state/run-folder.ts';
import { makeStateDir } from '../../src/orchestrator/state/state-dir.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { verifies } from '../support/verifies.ts';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';

const server = useServer({}, { providers: pricedProviders });
let project: RunProject;
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(() => project.remove());

const ESCAPE = '\u001b';

describe('millrace run', () => {
  it("asks with the repository's instructions, or without them", async () => {
    await project.write('AGENTS.md', 'Rule of the root.\n');
    const asked = async (...flags: string[]) => {
      await project.write('m.yaml', manifestOf([{ id: 'a' }]));
      const { code, stdout } = await project.millrace(['run', 'm.yaml', '--json', ...flags]);
      expect(code).toBe(0);
      const { runId } = eventsIn(stdout)[0] as { runId: string };
      const place = { stream: 'a', attempt: 1, call: 1 };
      return readFile(callFileOf(await project.stateDir(), runId, place), 'utf8');
    };
    expect(await asked()).toContain('Rule of the root.');
    expect(await asked('--no-instructions', '--only', 'a')).not.toContain('Rule of the root.');
  });

  it('does the work, mends what fails its check, and tells the result apart from progress', async () => {
    verifies('simulator.marked.cli');
    const { code, stdout, stderr } = await project.millrace(['run', 'feature.yaml', '--yes']);
    expect(stderr).not.toContain(ESCAPE);
    expect(stdout).not.toContain(ESCAPE);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(
      /^✓ complete {2}6 streams \+ 1 fix {2}.* tokens {2}\$[\d.]+ \(simulated\)\n/,
    );
    expect(stdout).toMatch(/Files changed: 6 \(\+\d+ -0\)/);
    expect(stdout).toMatch(/millrace -C \S+ diff run_\w+/);
    expect(stdout).toMatch(/millrace -C \S+ revert run_\w+/);
    expect(stderr).toMatch(/fixing {6}search {2}search-fix-1, attempt 2 of 3/);
    expect(stderr).toMatch(/complete {4}tests/);
    expect(await project.read('src/search.ts')).toContain('toLowerCase');
    const manifest = await project.read('feature.yaml');
    expect(manifest).toMatch(/^status: complete$/m);
    const again = await project.millrace(['run', 'feature.yaml', '--yes', '-q']);
    expect(again.code).toBe(0);
    expect(again.stderr).toBe('');
    expect(again.stdout).toMatch(/^✓ complete .* 0 tokens/);
  });

  it('prints its events as JSON lines that end with the totals', async () => {
    verifies('cli.json-lines');
    const { code, stdout } = await project.millrace(['run', 'feature.yaml', '--yes', '--json']);
    expect(code).toBe(0);
    expect(stdout).not.toContain(ESCAPE);
    const events = eventsIn(stdout);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    for (const event of events) {
      expect(event).toMatchObject({ v: 1, ts: expect.stringMatching(/^\d{4}-.*Z$/) });
    }
    expect(events[0]!.type).toBe('run.started');
    const last = events.at(-1)!;
    expect(last).toMatchObject({
      type: 'run.completed',
      totals: { streams: { complete: 6, failed: 0 }, fixes: 1 },
    });
    const watched = await project.millrace(['watch', '--json']);
    expect(watched.code).toBe(0);
    const seen = eventsIn(watched.stdout);
    expect(seen.at(-1)).toEqual(last);
    const logged = await project.millrace(['logs', '--json']);
    expect(eventsIn(logged.stdout)).toEqual(seen);
  });

  it('shows the plan and the commands, and does nothing, with --dry-run', async () => {
    const before = await project.read('feature.yaml');
    const { code, stdout } = await project.millrace(['run', 'feature.yaml', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('6 to run');
    expect(stdout).toContain('src/book.ts');
    expect(await project.read('feature.yaml')).toBe(before);
    expect(existsSync(await project.stateDir())).toBe(false);
    const part = await project.millrace(['run', 'feature.yaml', '--dry-run', '--only', 'docs']);
    expect(part.stdout).toContain('1 to run');
    expect(part.stdout).not.toContain('src/book.ts');
  });

  it('runs only what was named, and what was left out counts as done', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }, { id: 'c' }]));
    const { code } = await project.millrace(['run', 'm.yaml', '--only', 'b']);
    expect(code).toBe(0);
    const exists = (id: string) => existsSync(join(project.folder, `out/${id}.md`));
    expect([exists('a'), exists('b'), exists('c')]).toEqual([false, true, false]);
    const rest = await project.millrace(['run', 'm.yaml', '--skip', 'c']);
    expect(rest.code).toBe(0);
    expect([exists('a'), exists('c')]).toEqual([true, false]);
  });
});

describe('the exit code of a run', () => {
  it('is 1 when a stream failed, and the summary says which and why', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a', verify: ['echo nope; exit 3'] }]));
    const { code, stdout } = await project.millrace([
      'run',
      'm.yaml',
      '--yes',
      '--max-attempts',
      '2',
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ failed/);
    expect(stdout).toContain('echo nope; exit 3 exited with 3 (2 attempts)');
    expect(stdout).toMatch(/millrace -C \S+ explain run_/);
    const status = await project.millrace(['status']);
    expect(status.stdout).toMatch(/Why it failed: \S*millrace -C \S+ explain run_\w+\n$/);
    const explained = await project.millrace(['explain']);
    expect(explained.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(5);
    expect(explained.stdout).toContain('nope');
    expect(explained.stdout).toContain('a-fix-1 (failed)');
    expect((await project.millrace(['watch'])).code).toBe(1);
  });

  it.each([
    ['an invalid manifest', ['run', 'm.yaml'], 'streams: 3\n', /not a valid manifest/],
    ['an unknown stream', ['run', 'm.yaml', '--only', 'ap1'], undefined, /Did you mean api\?/],
    ['no model', ['run', 'm.yaml'], manifestOf([{ id: 'api' }], ''), /--model/],
    [
      'a budget without a price',
      ['run', 'm.yaml', '--model', 'openai:nobody-knows', '--max-cost', '1'],
      undefined,
      /no price is known for openai:nobody-knows/,
    ],
    ['a review without a terminal', ['run', 'm.yaml', '--review'], undefined, /terminal/],
    ['a wrong number', ['run', 'm.yaml', '--max-cost', 'much'], undefined, /--max-cost "much"/],
    [
      'commands nobody approved',
      ['run', 'm.yaml'],
      manifestOf([{ id: 'api', verify: ['true'] }]),
      /--yes/,
    ],
    ['a manifest that is not there', ['run', 'no.yaml'], undefined, /No file no\.yaml/],
    ['an unknown run', ['status', 'run_x'], undefined, /no run "run_x"/],
  ])('is 2 for %s', async (_, args, text, message) => {
    await project.write('m.yaml', text ?? manifestOf([{ id: 'api' }]));
    const { code, stderr } = await project.millrace(args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('is 2 while another run is running in the project', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const place = { root: project.folder, stateDir: await project.stateDir() };
    await makeStateDir(place);
    const lock = takeLock(place.stateDir, 'run_x');
    try {
      const { code, stderr } = await project.millrace(['run', 'm.yaml']);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('is running in this project'),
      });
    } finally {
      lock.release();
    }
  });

  it('is 4 when the key is refused', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const wrong = { MILLRACE_API_KEY: `mill_sk_${'0'.repeat(40)}` };
    const { code, stdout } = await project.millrace(['run', 'm.yaml', '--json'], wrong);
    expect(code).toBe(4);
    expect(eventsIn(stdout).at(-1)).toMatchObject({ type: 'run.paused', totals: { costUsd: 0 } });
  });

  it('is 5 when a quota holds', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const { key, email } = await server().createKey({ tier: 'trial' });
    await server().db.query(
      `insert into usage_months (team_id, month, runs_counted)
       values ($1, date_trunc('month', now() at time zone 'utc'), 50)`,
      [await server().teamId(email)],
    );
    const { code, stdout } = await project.millrace(['run', 'm.yaml'], { MILLRACE_API_KEY: key });
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('paused') });
  });

  it('is 6 when the server does not answer', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a' }]));
    const away = { MILLRACE_URL: 'http://127.0.0.1:9' };
    const { code, stderr } = await project.millrace(['run', 'm.yaml'], away);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('Could not reach'),
    });
  });

  it('is 7 when the budget is reached; a later run goes on with the same run', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]));
    const { code, stdout } = await project.millrace([
      'run',
      'm.yaml',
      '--json',
      '--model',
      PRICED_MODEL,
      '--max-cost',
      '0.001',
    ]);
    expect(code).toBe(7);
    const events = eventsIn(stdout);
    expect(events.at(-1)!.type).toBe('run.paused');
    const again = await project.millrace(['run', 'm.yaml', '--json', '--model', PRICED_MODEL]);
    expect(again.code).toBe(0);
    const more = eventsIn(again.stdout);
    expect(more[0]).toMatchObject({
      type: 'run.started',
      resumed: true,
      runId: (events[0] as { runId: string }).runId,
      seq: events.at(-1)!.seq + 1,
    });
  });

  it('a budget that is too small says what would be enough, and the command to resume has its flags', async () => {
    await project.write('m.yaml', manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]));
    const flags = ['--no-instructions', '--max-attempts', '1', '--model', PRICED_MODEL];
    const asked = ['run', 'm.yaml', ...flags, '--max-cost'];
    const { code, stdout, stderr } = await project.millrace([...asked, '0.001']);
    expect(code).toBe(7);
    // Told before the run, too.
    expect(stderr).toMatch(/One call could cost up to \$0\.\d+, more than --max-cost/);
    const figures = /--max-cost (\S+) would cover the next call, (\S+) everything\./.exec(stdout);
    const [, next, everything] = figures!;
    expect(Number(next)).toBeLessThan(Number(everything));
    expect(stdout).toContain(
      `run m.yaml --model ${PRICED_MODEL} --max-cost ${everything} --max-attempts 1 --no-instructions`,
    );
    // It is as it says: the first figure is enough for one stream, the second for both.
    const one = await project.millrace([...asked, next!, '--json']);
    expect(one.code).toBe(7);
    expect(eventsIn(one.stdout).at(-1)).toMatchObject({ totals: { streams: { complete: 1 } } });
    const all = await project.millrace([...asked, everything!, '--json']);
    expect(all.code).toBe(0);
  });

  it('is 124 when the time is over', async () => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a', directives: '[[sim:hang]]' }]));
    const { code, stdout, stderr } = await project.millrace(['run', 'm.yaml', '--timeout', '3']);
    expect({ code, stdout }).toEqual({ code: 124, stdout: expect.stringContaining('stopped') });
    expect(stderr).toContain('timed out');
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('after %s is %i, with the calls cancelled and counted', async (signal, exit) => {
    verifies('cli.exit-codes');
    await project.write('m.yaml', manifestOf([{ id: 'a', directives: '[[sim:hang]]' }]));
    const run = project.start(['run', 'm.yaml', '--json']);
    await waitUntil(() => run.stdout().includes('"stream.job"'), 'the job');
    run.child.kill(signal);
    expect(await run.ended).toBe(exit);
    const events = eventsIn(run.stdout());
    const answer = events.find(({ type }) => type === 'stream.answer');
    expect(answer).toMatchObject({ ok: false });
    expect(events.at(-1)).toMatchObject({ type: 'run.cancelled' });
    const { rows } = await server().db.query<{ status: string }>(
      `select status from jobs where id = $1`,
      [(events.find(({ type }) => type === 'stream.job') as { jobId: string }).jobId],
    );
    expect(rows[0]?.status).toBe('failed');
  });

  it('is 130 at once after a second ctrl-c', async () => {
    await project.write(
      'm.yaml',
      manifestOf([{ id: 'a', verify: ['trap "" TERM; sleep 4; true'] }]),
    );
    const run = project.start(['run', 'm.yaml', '--yes']);
    await waitUntil(() => run.stderr().includes('verify'), 'the check');
    run.child.kill('SIGINT');
    await waitUntil(() => run.stderr().includes('stopping...'), 'the first');
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.stderr()).toMatch(/Resume with: \S*millrace -C \S+ run m\.yaml\n/);
  });
});
