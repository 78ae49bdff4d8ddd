import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject } from '../terminal/run-project.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';
import type { ShownExecution } from './execution.ts';

const server = useServer({}, { providers: pricedProviders });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-exec-'));
  await writeFile(join(folder, 'a.md'), 'text of a\n');
});
afterAll(() => rm(folder, { recursive: true }));

async function asCaller() {
  const { key } = await server().createKey();
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  const model = ['--model', 'sim-instant'];
  return {
    settings,
    client: clientOf(server(), key),
    exec: (...args: string[]) => runEither(['-C', folder, 'exec', ...model, ...args], settings),
    millrace: (...args: string[]) => runEither(args, settings),
  };
}

describe('millrace exec', () => {
  it('starts an execution, with the files, and prints its id', async () => {
    const { exec, client } = await asCaller();
    const ran = await exec('Do it', '--files', 'a.md', '--max-steps', '2');
    expect(ran.code).toBe(0);
    const id = ran.stdout.trim();
    const done = await client.ended(id);
    expect(done.progress.total).toBe(2);
    const { rows } = await server().db.query<{ context: string }>(
      'select context from executions where id = $1',
      [id],
    );
    expect(JSON.parse(rows[0]!.context)).toMatchObject({
      files: ['a.md'],
      contents: { 'a.md': 'text of a\n' },
    });
  });

  it('sends folders and globs by the rules of the tools', async () => {
    const { exec, client } = await asCaller();
    const project = await mkdtemp(join(tmpdir(), 'millrace-exec-files-'));
    try {
      await mkdir(join(project, 'src/deep'), { recursive: true });
      const texts = {
        'src/a.ts': 'a',
        'src/deep/b.ts': 'b',
        'src/c.md': 'c',
        'src/.env': 'KEY=1',
        'src/out.log': 'l',
        'src/image.bin': '\0',
        '.gitignore': '*.log\n',
        'top.txt': 't',
      };
      for (const [name, text] of Object.entries(texts)) await writeFile(join(project, name), text);
      const sent = async (...files: string[]) => {
        const ran = await exec(
          '-C',
          project,
          'Do it',
          ...files.flatMap((list) => ['--files', list]),
        );
        expect(ran.code, ran.stderr).toBe(0);
        await client.ended(ran.stdout.trim());
        const { rows } = await server().db.query<{ context: string }>(
          'select context from executions where id = $1',
          [ran.stdout.trim()],
        );
        const { contents, files: names } = JSON.parse(rows[0]!.context) as {
          contents: Record<string, string>;
          files: string[];
        };
        expect(Object.keys(contents)).toEqual(names);
        return { names, stderr: ran.stderr };
      };
      const folder = await sent('src');
      expect(folder.names).toEqual(['src/a.ts', 'src/c.md', 'src/deep/b.ts']);
      expect(folder.stderr).toContain('src/.env may hold secrets');
      expect(folder.stderr).toContain('src/image.bin is not text');
      expect((await sent('src/**/*.ts,top.txt')).names).toEqual([
        'src/a.ts',
        'src/deep/b.ts',
        'top.txt',
      ]);
      expect((await sent('src/{a.ts,c.md}', './top.txt')).names).toEqual([
        'src/a.ts',
        'src/c.md',
        'top.txt',
      ]);
      expect((await sent('src/out.log')).names).toEqual(['src/out.log']);
      const secret = await exec('-C', project, 'x', '--files', 'src/.env');
      expect(secret.code).toBe(2);
      expect(secret.stderr).toContain('MILLRACE_ALLOW');
      const none = await exec('-C', project, 'x', '--files', '**/*.rs');
      expect(none.code).toBe(2);
      expect(none.stderr).toContain('**/*.rs');
    } finally {
      await rm(project, { recursive: true });
    }
  });

  it('says first that the simulator answers when no model was chosen', async () => {
    const { settings } = await asCaller();
    const run = (...args: string[]) => runEither(['exec', ...args], settings);
    const followed = await run('Do it [[sim:plan 1 steps 1 waves]]', '--wait');
    expect(followed.code, followed.stderr).toBe(0);
    expect(followed.stderr.split('\n')[0]).toContain('the simulator answers (sim-standard)');
    const left = await run('x', '--detach');
    expect(left.stderr).toMatch(/^No model was chosen, so the simulator answers/);
    expect(left.stdout).toMatch(/^exec_\S+\n$/);
    const chosen = await run('x', '--detach', '--model', 'sim-instant');
    expect(chosen.stderr).not.toContain('simulator answers');
  });

  it('waits, tells each step beside the result, and prints one document as JSON', async () => {
    const { exec } = await asCaller();
    const ran = await exec('Do it', '--wait');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^3 steps changed 3 files\./);
    expect(ran.stdout).toMatch(/^ {2}create {2}\S+$/m);
    expect(ran.stderr).toMatch(/planned +3 steps in 2 waves/);
    expect(ran.stderr).toMatch(/complete +\[\d\/3\] Simulated step 1 of 3 \(step-1\)/);
    expect(ran.stderr).toMatch(
      /completed {2}3\/3 steps {2}[\d.]+s {2}[\d,]+ tokens {2}\$[\d.]+ \(simulated\)/,
    );
    const [id] = /exec_\w+/.exec(ran.stderr)!;
    expect(ran.stderr).toMatch(new RegExp(`millrace .*diff ${id}\n.*millrace .*apply ${id}\n`));
    const json = await exec('Do it', '--wait', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'completed',
      result: { success: true },
    });
  });

  it('shows a plan without running it', async () => {
    const { exec } = await asCaller();
    const ran = await exec('Do it', '--dry-run');
    expect(ran.stdout).toMatch(/^Wave 1\n {2}step-1 {2}Simulated step 1 of 3\n {4}writes {2}\S+\n/);
    expect(ran.stdout).toMatch(/\nWave 2\n {2}step-3 .*\n {4}after {3}step-1\n/);
    expect(ran.stdout).toMatch(/\n3 steps, about [\d,]+ tokens, about \$[\d.]+\n$/);
    expect(ran.stderr).not.toContain('apply');
  });

  it('says with its exit code how it ended', async () => {
    const { exec } = await asCaller();
    expect((await exec('x [[sim:auth]]', '--wait')).code).toBe(1);
    expect((await exec('x', '--wait', '--budget', '0.001', '--model', PRICED_MODEL)).code).toBe(7);
    expect((await exec('x [[sim:hang]]', '--wait', '--timeout', '1s')).code).toBe(124);
    expect((await exec('x', '--max-steps', '0')).code).toBe(2);
    expect((await exec('')).code).toBe(2);
    expect((await exec('x', '--files', '../a')).code).toBe(2);
    expect((await exec('x', '--files', 'missing.md')).code).toBe(2);
    expect((await exec('x', '--max-cost', 'much')).code).toBe(2);
    expect((await exec('x', '--wait', '--detach')).code).toBe(2);
    const tooLong = await exec('x', '--timeout', '60000');
    expect(tooLong.code).toBe(2);
    expect(tooLong.stderr).toContain('must be at most 1h; did you mean 60000ms?');
  });

  it('lists executions, whole in a pipe, under short ids that the other commands take', async () => {
    const { millrace, client } = await asCaller();
    const none = await millrace('exec', 'list');
    expect([none.code, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toContain("exec 'Say what to do'");
    const task = `A task in ${'many '.repeat(40)}words`;
    const first = await client.start(task);
    await client.ended(first);
    const second = await client.start('Another [[sim:auth]]');
    await client.ended(second);
    const { stdout } = await millrace('exec', 'list');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^ID +STATUS +STEPS +TOKENS +COST +STARTED +TASK$/);
    expect(rows[1]).toContain(task);
    expect(rows.map((row) => /^(\S+) +(\w+) +(\S+)/.exec(row)!.slice(2))).toEqual([
      ['failed', '0/0'],
      ['completed', '3/3'],
    ]);
    const short = rows[1]!.split(' ')[0]!;
    expect(first.startsWith(short)).toBe(true);
    expect(short.length).toBeLessThan(first.length);
    for (const asked of [first, short, short.slice('exec_'.length)]) {
      const got = await millrace('exec', 'get', asked, '--json');
      expect(JSON.parse(got.stdout)).toMatchObject({ id: first, status: 'completed' });
    }
    const failed = await millrace('exec', 'list', '--status', 'failed', '--json');
    expect(JSON.parse(failed.stdout)).toMatchObject({ items: [{ id: second }] });
    const page = await millrace('exec', 'list', '--limit', '1');
    expect(page.stderr).toMatch(/More: \S+ exec list --before exec_/);
    const older = await millrace('exec', 'list', '--before', second, '--json');
    expect(JSON.parse(older.stdout)).toMatchObject({ items: [{ id: first }] });
  });

  it('shows one: its state, steps, cost and files, and what to type next', async () => {
    const { millrace, client } = await asCaller();
    const id = await client.start('Do it');
    await client.ended(id);
    const { code, stdout } = await millrace('exec', 'get', id);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S completed {2}3\/3 steps /);
    expect(stdout).toMatch(
      / Wave 1 {2}2\/2\n {3}\S step-1 +Simulated step 1 of 3 +[\d,]+ tok +[\d.]+s\n/,
    );
    expect(stdout).toMatch(/\n {2}create {2}\S+\n/);
    expect(stdout).toMatch(new RegExp(`diff ${id}\n.*apply ${id}\n$`));
    const waited = await millrace('exec', 'get', id, '--wait', '--json');
    expect(JSON.parse(waited.stdout)).toMatchObject({ id, status: 'completed' });
    const broken = await client.start('x [[sim:auth]]');
    await client.ended(broken);
    expect((await millrace('exec', 'get', broken, '--wait')).code).toBe(1);
    const shown = await millrace('exec', 'get', broken);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/Error +\S/)]);
  });

  it('cancels one, and says so when it had ended', async () => {
    const { millrace, client } = await asCaller();
    const plan = planOf({
      first: 'owns: [a.ts]\nplan: Do a',
      second: 'owns: [b.ts]\nplan: "[[sim:hang]]"\ndeps: [first]',
    });
    const id = await client.start(plan);
    await client.until(id, ({ steps }) => steps[1]?.status === 'in_progress');
    const running = await millrace('exec', 'get', id.slice(0, 24));
    expect(running.stdout).toMatch(new RegExp(`exec cancel ${id}\n`));
    const cancelled = await millrace('exec', 'cancel', id.slice(0, 24));
    expect([cancelled.code, cancelled.stdout]).toEqual([0, 'Cancelled after 1 of 2 steps.\n']);
    const again = await millrace('exec', 'cancel', id);
    expect(again.stdout).toBe('Already cancelled; nothing to cancel.\n');
    const json = await millrace('exec', 'cancel', id, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ id, cancelled: false });
  });

  it('tells an id that is unknown from one that is too short', async () => {
    const { millrace, client } = await asCaller();
    const ids = [await client.start('a'), await client.start('b')];
    const ambiguous = await millrace('exec', 'get', 'exec_0', '--json');
    expect(ambiguous.code).toBe(2);
    const { error } = JSON.parse(ambiguous.stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('AMBIGUOUS_ID');
    for (const id of ids) expect(error.hint).toContain(id);
    const unknown = await millrace('exec', 'get', '7zzzz');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(
      /No execution begins with "7zzzz"\.\nList them with: \S+ exec list/,
    );
    for (const id of ids) await client.ended(id);
  });

  it('takes a task of the name of a subcommand after two dashes', async () => {
    const { exec, client } = await asCaller();
    const ran = await exec('--max-steps', '1', '--', 'list');
    expect(ran.stdout).toMatch(/^exec_\w+\n$/);
    const execution = await client.ended(ran.stdout.trim());
    expect(execution).toMatchObject({ task: 'list', progress: { total: 1 } });
  });

  it('cancels when it is interrupted', async () => {
    const { settings, client } = await asCaller();
    const args = ['exec', '--model', 'sim-instant', '--wait', '--json', 'x [[sim:hang]]'];
    const child = startNode(MAIN, args, { env: cleanEnv(settings) });
    const running = await waitUntil(async () => {
      const { rows } = await server().db.query<{ id: string }>(
        `select e.id from executions e join jobs j on j.execution_id = e.id
         where j.status = 'running' and e.status = 'running'`,
      );
      return rows[0]?.id;
    }, 'an execution');
    await child.kill('SIGINT');
    expect(await child.ended).toBe(130);
    const shown: ShownExecution = await client.get(running);
    expect(shown.status).toBe('cancelled');
    expect(child.output()).toContain('"status":"cancelled"');
  });
});

describe('the result of an execution in a project', () => {
  it('is shown, applied in part and as a whole, and reverted without the server', async () => {
    const project = await createRunProject(server());
    const { millrace } = project;
    try {
      const plan = planOf({ one: 'owns: [out/one.txt]', two: 'owns: [out/]\ndeps: [one]' });
      const first = artifactOf([{ type: 'create', path: 'out/one.txt', content: 'one\n' }]);
      const edits = [{ oldText: 'one', newText: 'both' }];
      const second = artifactOf([
        { type: 'edit', path: 'out/one.txt', edits },
        { type: 'create', path: 'out/two.txt', content: 'two\n' },
      ]);
      const task = `Do it. ${plan} ${replyOf('one', first)} ${replyOf('two', second)}`;
      const ran = await millrace(['exec', task, '--model', 'sim-instant', '--wait', '--json']);
      const { id } = JSON.parse(ran.stdout) as ShownExecution;
      const before = JSON.parse((await millrace(['diff', id.slice(5, 24), '--json'])).stdout);
      expect(before).toMatchObject({
        executionId: id,
        files: [],
        pending: [
          { path: 'out/one.txt', kind: 'create', diff: expect.stringContaining('+both') },
          { path: 'out/two.txt', kind: 'create' },
        ],
      });
      const part = await millrace(['apply', id.slice(0, 24), '--file', 'out/two.txt', '--json']);
      expect(JSON.parse(part.stdout)).toMatchObject({ files: ['out/two.txt'] });
      expect(existsSync(join(project.folder, 'out/one.txt'))).toBe(false);
      expect((await millrace(['apply', id])).stdout).toContain('Applied 1 file');
      expect(await project.read('out/one.txt')).toBe('both\n');
      const again = await millrace(['apply', id]);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already applied') });
      const away = { MILLRACE_URL: 'http://127.0.0.1:9' };
      const shown = await millrace(['diff', id, '--stat'], away);
      expect(shown.stdout).toContain('2 files changed');
      const reverted = await millrace(['revert', id.slice(5, 20)], away);
      expect(reverted.stdout).toContain('Reverted 2 files');
      expect(existsSync(join(project.folder, 'out'))).toBe(false);
      expect((await millrace(['apply', id])).stdout).toContain('Applied 2 files');
      // No run of this project, and none that a run could be confused with.
      expect(JSON.parse((await millrace(['runs', '--json'])).stdout)).toMatchObject({ total: 0 });
    } finally {
      await project.remove();
    }
  });

  it('is refused while it runs, when it failed, and where no artifact may write', async () => {
    const project = await createRunProject(server());
    const { millrace, settings } = project;
    const client = clientOf(server(), settings['MILLRACE_API_KEY']!);
    try {
      const running = await client.start('Do it [[sim:hang]]');
      const early = await millrace(['apply', running, '--json']);
      expect(early.code).toBe(1);
      expect(early.stdout).toMatch(/"EXECUTION_NOT_COMPLETE".* still running/);
      await client.cancel(running);
      expect((await millrace(['apply', running])).stderr).toContain(`${running} was cancelled.`);
      const plan = planOf({ one: 'plan: Set it.' });
      const bad = artifactOf([{ type: 'create', path: '.npmrc', content: 'x=1\n' }]);
      const done = await client.ended(await client.start(`Do it. ${plan} ${replyOf('one', bad)}`));
      expect(done.status).toBe('completed');
      const refused = await millrace(['apply', done.id]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/Nothing was written: .* \.npmrc: It is protected/);
      expect(existsSync(join(project.folder, '.npmrc'))).toBe(false);
      const unknown = await millrace(['diff', 'exec_01k9zzzzzzfhevx0000000000a', '--json']);
      expect(unknown.code).toBe(2);
      expect(unknown.stdout).toContain('EXECUTION_NOT_FOUND');
    } finally {
      await project.remove();
    }
  });
});
