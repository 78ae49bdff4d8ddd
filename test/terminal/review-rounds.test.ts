// A review in a terminal that asks for changes, round after round, until a person agrees to what is there.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replyWith } from '../orchestrator/review-project.ts';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { findLockHolder } from '../../src/orchestrator/state/lock.ts';
import { waitUntil } from '../support/processes.ts';
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

function start(command: string, how: { through?: readonly string[] } = {}): PtyRun {
  const run = startInPty(project, [command], { columns: 120, rows: 50 }, how);
  started.push(run);
  return run;
}

/** Waits for the question, which then is the last thing on the screen, and answers it. */
async function answer(run: PtyRun, question: RegExp, said: string): Promise<void> {
  await run.waitFor(new RegExp(`${question.source} $|${question.source}$`));
  run.type(`${said}\r`);
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

const FILES = Array.from({ length: 12 }, (_, at) => `f${String(at + 1).padStart(2, '0')}.txt`);
const text = (path: string) => `new in ${path}\nsecond line\n`;
const better = (path: string) => ({
  type: 'edit',
  path,
  edits: [{ search: 'second line\n', replace: `better in ${path}\n` }],
});

/** Two streams of six files each. */
async function prepare(): Promise<void> {
  const stream = (id: string, paths: readonly string[], fixed: string) => ({
    name: `Files of ${id}`,
    owns: paths,
    plan: [
      replyWith(paths.map((path) => ({ type: 'create', path, content: text(path) }))),
      replyWith([better(fixed)], `${id}-fix-1`),
    ].join('\n'),
    verify: [
      'while test -e hold; do sleep 0.1; done',
      'while test -e hold-fix && grep -q better f04.txt; do sleep 0.1; done',
    ],
  });
  const [first, second] = [FILES.slice(0, 6), FILES.slice(6)];
  const streams = { a: stream('a', first, 'f04.txt'), b: stream('b', second, 'f10.txt') };
  await project.write('m.yaml', JSON.stringify({ feature: 'R', model: 'sim-instant', streams }));
  expect((await project.millrace(['run', 'm.yaml', '--yes'])).code).toBe(0);
}

/** About the file that is shown. */
const keep = (path: string) => new RegExp(`${path}\\n[^]*Keep this hunk\\? \\[[^\\]]*\\]:`);

const REJECTED = new Set(['f06.txt', 'f07.txt', 'f08.txt']);
const COMMENTED = new Set(['f04.txt', 'f10.txt']);

async function decideOn(run: PtyRun, path: string): Promise<void> {
  if (!COMMENTED.has(path)) return answer(run, keep(path), REJECTED.has(path) ? 'n' : 'y');
  await answer(run, keep(path), 'c');
  const lines = path === 'f04.txt' ? ['2: A better line.', 'As in the other file.'] : ['Better!'];
  await answer(run, /opens your editor\.\n>/, lines[0]!);
  for (const line of [...lines.slice(1), '']) await answer(run, />/, line);
}

/** What the two rounds come to, to the byte. */
async function expectWanted(): Promise<void> {
  for (const path of FILES) {
    if (REJECTED.has(path)) expect(existsSync(join(project.folder, path)), path).toBe(false);
    else {
      const wanted = COMMENTED.has(path) ? `new in ${path}\nbetter in ${path}\n` : text(path);
      expect(await project.read(path), path).toBe(wanted);
    }
  }
}

it('asks for changes of two files, and shows in the second round only what they changed', async () => {
  await prepare();
  const run = start('review');
  for (const path of FILES) await decideOn(run, path);
  await run.waitFor(/7 hunks kept, 3 to take back, 2 comments, in 12 files\./);
  await answer(run, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await run.waitFor(/Round 1 of run_\w+: 3 files changed, 2 comments for a-fix-1, b-fix-1\./);
  // The run shows itself, and then what it changed is asked about.
  await run.waitFor(
    /Round 1: f04\.txt\n {2}line 2, outdated\. It was about:\n {4}second line\n {2}\| A better line\.\n {2}\| As in the other file\.\n {2}Done by a-fix-1\./,
  );
  await answer(run, /f04\.txt\n[^]*\+better in f04\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
  await answer(run, /f10\.txt\n[^]*\+better in f10\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
  expect(await run.ended).toBe(0);
  expect((await run.lines()).join('\n')).toContain('everything is kept.');
  await expectWanted();
});

it('keeps comments after a quit, and lets them be changed and taken away', async () => {
  await prepare();
  project.settings['EDITOR'] = 'sed -i s/$/!/';
  const run = start('review');
  await answer(run, keep('f01.txt'), 'c');
  await answer(run, /editor\.\n>/, '9: Too far.');
  await answer(run, />/, '');
  await answer(run, /The hunk has the lines 1 to 2 of the new file\.\n[^]*>/, 'First words');
  await answer(run, />/, '');
  await answer(run, keep('f02.txt'), 'c');
  await answer(run, /editor\.\n>/, '');
  await answer(run, keep('f02.txt'), 'q');
  expect(await run.ended).toBe(0);
  const again = start('review');
  await again.waitFor(/Comment 1\n {2}lines 1-2\n {2}\| First words\nKeep this hunk/);
  await answer(again, keep('f01.txt'), 'c');
  await answer(again, /change or remove one\? \[a,c,r\]:/, 'c');
  await answer(again, /editor\.\n>/, 'e');
  await answer(again, />/, '');
  await answer(again, keep('f02.txt'), 'q');
  expect(await again.ended).toBe(0);
  const last = start('review');
  await last.waitFor(/\| First words!\nKeep this hunk/);
  await answer(last, keep('f01.txt'), 'c');
  await answer(last, /change or remove one\? \[a,c,r\]:/, 'r');
  await answer(last, keep('f01.txt'), 'q');
  expect(await last.ended).toBe(0);
  const none = start('review');
  await none.waitFor(/f01\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/);
  expect((await none.lines()).join('\n')).not.toContain('First words');
});

it('continues a round whose run was killed', async () => {
  await prepare();
  const stateDir = await project.stateDir();
  // Its checks wait, and the run with them.
  await project.write('hold', '');
  const run = start('review');
  await answer(run, keep('f01.txt'), 'y');
  await answer(run, keep('f02.txt'), 'y');
  await answer(run, keep('f03.txt'), 'y');
  await answer(run, keep('f04.txt'), 'c');
  await answer(run, /editor\.\n>/, 'Better!');
  await answer(run, />/, '');
  for (const path of FILES.slice(4)) await answer(run, keep(path), 'y');
  await answer(run, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await waitUntil(async () => (await project.read('f04.txt')).includes('better'), 'the changes');
  const holder = await waitUntil(async () => findLockHolder(stateDir), 'the run');
  process.kill(holder.pid, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect((await run.unbroken()).join('\n')).toMatch(/Go on with: .*review run_/);
  await rm(join(project.folder, 'hold'));
  const again = start('review');
  await again.waitFor(/Making the changes: .*run m\.yaml/);
  await answer(again, /f04\.txt\n[^]*\+better in f04\.txt\n[^]*Keep this hunk\? \[[^\]]*\]:/, 'y');
  expect(await again.ended).toBe(0);
  expect(await project.read('f04.txt')).toBe('new in f04.txt\nbetter in f04.txt\n');
});

it('comes to the same end in one round, wherever its command was killed', async () => {
  await prepare();
  const stateDir = await project.stateDir();
  const first = start('review');
  for (const path of FILES.slice(0, 8)) await decideOn(first, path);
  await first.waitFor(keep('f09.txt'));
  first.kill();
  await first.ended;
  // What was said is there, and what has a comment is asked about again. The checks of the submit wait.
  await project.write('hold', '');
  const leaveOpen = async (run: PtyRun, path: string) => {
    await answer(run, keep(path), 'c');
    await answer(run, /change or remove one\? \[a,c,r\]:/, '');
  };
  const second = start('review');
  await second.waitFor(/\| A better line\.\n {2}\| As in the other file\.\nKeep this hunk/);
  await leaveOpen(second, 'f04.txt');
  for (const path of FILES.slice(8)) await decideOn(second, path);
  await answer(second, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await waitUntil(async () => !existsSync(join(project.folder, 'f06.txt')), 'what is taken back');
  second.kill();
  await second.ended;
  await rm(join(project.folder, 'hold'));
  await project.write('hold-fix', '');
  // Started by a shell, which goes on when its command is killed: so does the run, as a process of its own.
  const third = start('review', { through: ['sh', '-c', '"$@"; sleep 1000', 'sh'] });
  await third.waitFor(keep('f04.txt'));
  expect(existsSync(join(project.folder, 'f06.txt'))).toBe(true);
  await leaveOpen(third, 'f04.txt');
  await leaveOpen(third, 'f10.txt');
  await third.waitFor(/7 hunks kept, 3 to take back, 2 comments, in 12 files\./);
  await answer(third, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await waitUntil(async () => (await project.read('f04.txt')).includes('better'), 'the changes');
  const { pid } = await waitUntil(async () => findLockHolder(stateDir), 'the run');
  const command = await parentOf(pid);
  process.kill(command, 'SIGKILL');
  await waitUntil(async () => (await parentOf(pid)) !== command, 'the end of the command');
  const early = start('review');
  await early.ended;
  expect((await early.unbroken()).join('\n')).toMatch(/process \d+\) is running in this project/);
  await rm(join(project.folder, 'hold-fix'));
  await waitUntil(() => findLockHolder(stateDir) === undefined, 'the end of the run');
  const last = start('review');
  await last.waitFor(/Done by a-fix-1\.[^]*Done by b-fix-1\./);
  for (const path of COMMENTED) await answer(last, keep(path), 'y');
  expect(await last.ended).toBe(0);
  await expectWanted();
  const { events } = await findRun(stateDir, undefined);
  const rounds = events.flatMap((one) => (one.type === 'run.reviewed' ? [one.round] : []));
  expect(rounds).toEqual([1, undefined]);
  expect(events.filter(({ type }) => type === 'stream.fix')).toHaveLength(2);
});

it('asks whether to resume a round that was stopped', async () => {
  await prepare();
  await project.write('hold-fix', '');
  const run = start('review');
  for (const path of FILES) await decideOn(run, path);
  await answer(run, /Submit the review\? \[c,a,r,q,\?\]:/, 'c');
  await waitUntil(async () => (await project.read('f04.txt')).includes('better'), 'the changes');
  run.type('\u0003');
  expect(await run.ended).toBe(130);
  expect((await run.unbroken()).join('\n')).toMatch(/Go on with: .*review run_/);
  expect(await project.read('f04.txt')).toBe(text('f04.txt'));
  await rm(join(project.folder, 'hold-fix'));
  const again = start('review');
  await answer(again, /the run is stopped\.\n[^]*Resume the run\? \[Y\/n\]/, '');
  await again.waitFor(/Done by a-fix-1\.[^]*Done by b-fix-1\./);
  for (const path of COMMENTED) await answer(again, keep(path), 'y');
  expect(await again.ended).toBe(0);
  await expectWanted();
});
