// millrace apply exec_... --review in a terminal: what an execution has made is chosen by hunk, edited, commented on and made
// again, and written at the end.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { artifactOf, clientOf, planOf, replyOf } from '../executions/execution.ts';
import { useServer } from '../support/use-server.ts';
import { startInPty } from './pty.ts';
import type { PtyRun } from './pty.ts';
import { createRunProject } from './run-project.ts';
import type { RunProject } from './run-project.ts';

const server = useServer();
let project: RunProject;
let started: PtyRun[] = [];
beforeEach(async () => {
  project = await createRunProject(server());
});
afterEach(async () => {
  for (const run of started) run.kill();
  await Promise.all(started.map(({ ended }) => ended));
  started = [];
  await project.remove();
});

function start(...args: string[]): PtyRun {
  const run = startInPty(project, args, { columns: 120, rows: 50 });
  started.push(run);
  return run;
}

async function answer(run: PtyRun, question: RegExp, said: string): Promise<void> {
  await run.waitFor(new RegExp(`${question.source} $|${question.source}$`));
  run.type(`${said}\r`);
}

const NAMES = ['a.txt', 'b.txt', 'c.txt'];
const text = (path: string) => `new in ${path}\nsecond line\n`;
const create = (path: string, content = text(path)) => ({ type: 'create', path, content });

async function execute(streams: Record<string, string>, replies: string[]): Promise<string> {
  const task = ['Write the files.', planOf(streams), ...replies].join('\n');
  const executions = clientOf(server(), project.settings['MILLRACE_API_KEY']!);
  const id = await executions.start({ task });
  const { status, result } = await executions.ended(id);
  expect(status, JSON.stringify(result)).toBe('completed');
  return id;
}

const threeFiles = () =>
  execute({ first: 'owns: [a.txt, b.txt, c.txt]' }, [
    replyOf('first', artifactOf(NAMES.map((path) => create(path)))),
    replyOf('first-fix-1', artifactOf([create('b.txt', 'new in b.txt\nbetter\n')])),
  ]);

const write = (path: string) => new RegExp(`${path}\\n[^]*Write this hunk\\? \\[[^\\]]*\\]:`);
const holds = (path: string) => existsSync(join(project.folder, path));

it('writes what was agreed to, round after round, wherever its command was killed', async () => {
  const id = await threeFiles();
  const first = start('apply', id, '--review');
  await answer(first, write('a.txt'), 'y');
  await answer(first, write('b.txt'), 'c');
  await answer(first, /editor\.\n>/, '2: Better!');
  await answer(first, />/, '');
  await first.waitFor(write('c.txt'));
  first.kill();
  await first.ended;
  // What was said is there, and what has a comment is asked about again.
  const second = start('apply', id, '--review');
  await second.waitFor(/\| Better!\nWrite this hunk/);
  await answer(second, write('b.txt'), 'c');
  await answer(second, /change or remove one\? \[a,c,r\]:/, '');
  await answer(second, write('c.txt'), 'n');
  await second.waitFor(/1 hunk to write, 1 left out, 1 comment, in 3 files\./);
  await answer(second, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await second.waitFor(/Round 1 of exec_\w+: 1 comment for first-fix-1\./);
  await second.waitFor(/Round 1: b\.txt\n[^]*\| Better!\n {2}Done by first-fix-1\./);
  expect(NAMES.map(holds)).toEqual([false, false, false]);
  await answer(second, /b\.txt\n[^]*\+better\n[^]*Write this hunk\? \[[^\]]*\]:/, 'q');
  expect(await second.ended).toBe(0);
  // What was made is written with the review, and in no other way.
  expect((await second.unbroken()).join('\n')).not.toMatch(/ apply run_/);
  const past = await project.millrace(['apply']);
  expect(past.stderr).toMatch(/run_\w+ has nothing to apply/);
  expect((await second.unbroken()).join('\n')).toMatch(
    new RegExp(`Nothing was written\\. Go on with: .*apply ${id} --review`),
  );
  expect(NAMES.map(holds)).toEqual([false, false, false]);
  const last = start('apply', id, '--review');
  await answer(last, /b\.txt\n[^]*\+better\n[^]*Write this hunk\? \[[^\]]*\]:/, 'y');
  expect(await last.ended).toBe(0);
  expect((await last.lines()).join('\n')).toContain(`Applied 2 files of ${id}.`);
  expect(NAMES.map(holds)).toEqual([true, true, false]);
  expect(await project.read('a.txt')).toBe(text('a.txt'));
  expect(await project.read('b.txt')).toBe('new in b.txt\nbetter\n');
  const done = start('apply', id, '--review');
  expect(await done.ended).toBe(0);
  expect((await done.lines()).join('\n')).toContain('is already applied');
});

it('takes back parts of what was applied', async () => {
  const id = await threeFiles();
  const none = start('review', id);
  expect(await none.ended).toBe(0);
  expect((await none.unbroken()).join('\n')).toMatch(
    new RegExp(`Nothing of ${id} is applied here\\..*apply ${id} --review`),
  );
  expect((await project.millrace(['apply', id])).code).toBe(0);
  const run = start('review', id);
  const keep = (path: string) => new RegExp(`${path}\\n[^]*Keep this hunk\\? \\[[^\\]]*\\]:`);
  await answer(run, keep('a.txt'), 'n');
  await answer(run, keep('b.txt'), 'y');
  await answer(run, keep('c.txt'), 'y');
  await answer(run, /Submit the review\? \[y\/N\]/, 'y');
  expect(await run.ended).toBe(0);
  expect(NAMES.map(holds)).toEqual([false, true, true]);
  expect((await project.millrace(['revert', id])).stdout).toContain('Reverted 2 files');
  expect(NAMES.map(holds)).toEqual([false, false, false]);
});

it('writes nothing that does not hold without what was left out', async () => {
  await project.write('x.ts', 'const one = [\n  1,\n];\n\n\n\n\n\n\n\n\nconst two = 2;\n');
  const edits = [
    { oldText: 'const one = [\n  1,\n];', newText: 'const one = f([\n  1,' },
    { oldText: 'const two = 2;', newText: ']);\nconst two = 3;' },
  ];
  const id = await execute({ first: 'owns: [x.ts]' }, [
    replyOf('first', artifactOf([{ type: 'edit', path: 'x.ts', edits }])),
  ]);
  const before = await project.read('x.ts');
  const run = start('apply', id, '--review');
  await answer(run, write('x.ts'), 'y');
  await answer(run, /Write this hunk\? \[[^\]]*\]:/, 'n');
  await answer(run, /Submit the review\? \[y\/N\]/, 'y');
  expect(await run.ended).toBe(1);
  expect((await run.lines()).join('\n')).toContain('what is left does not hold without the rest');
  expect(await project.read('x.ts')).toBe(before);
});

it('says what to do where nobody can be asked, and refuses what makes no sense', async () => {
  const id = await threeFiles();
  const blind = await project.millrace(['apply', id, '--review']);
  expect(blind.code).toBe(2);
  expect(blind.stderr).toMatch(new RegExp(`apply ${id} --review-in web`));
  const one = await project.millrace(['apply', id, '--review-in', 'web', '--file', 'a.txt']);
  expect(one.code).toBe(2);
  expect(one.stderr).toContain('--file and a review cannot be used together');
  const again = await project.millrace(['apply', id, '--again']);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('--review');
  const unknown = `exec_${'0'.repeat(26)}`;
  const none = await project.millrace(['apply', unknown, '--review-in', 'web']);
  expect(none.code).not.toBe(0);
  expect(none.stderr).toContain(`There is no execution "${unknown}"`);
  expect(NAMES.map(holds)).toEqual([false, false, false]);
});
