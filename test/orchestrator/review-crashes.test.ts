// A review that asks for changes, killed at any step of its submit and of the run that makes them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findRun } from '../../src/orchestrator/project/find-run.ts';
import { revertRun } from '../../src/orchestrator/changes/revert-run.ts';
import { listApplied } from '../../src/orchestrator/apply/record.ts';
import { openTransactions, placeIn } from './apply-project.ts';
import type { Project } from './project.ts';
import {
  ask,
  commentOn,
  numbered,
  openRound,
  opened,
  replyWith,
  submit,
} from './review-project.ts';
import { useProjects } from './use-projects.ts';

const { server, project: create } = useProjects();

const OLD = numbered(60);
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function start(...args: string[]): Promise<{ signal: string | null; output: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [, signal]] = await Promise.all([
    text(child.stdout),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  return { signal, output };
}

const lines = (...changes: [number, string][]) =>
  changes.reduce((all, [line, by]) => all.replace(`line ${line}\n`, `${by}\n`), OLD);

/** Ran, and with answers that take something back, suggest something and ask for something. */
async function reviewed(): Promise<Project> {
  const content = lines([5, 'five'], [30, 'thirty'], [55, 'last']);
  const better = [{ search: 'thirty\n', replace: 'better\n' }];
  const plan = [
    replyWith([
      { type: 'edit', path: 'a.txt', content },
      { type: 'create', path: 'new/n.txt', content: 'n\n' },
    ]),
    replyWith([{ type: 'edit', path: 'a.txt', edits: better }], 'a-fix-1'),
  ];
  const stream = { name: 'a', owns: ['**'], plan: plan.join('\n'), verify: ['grep -q 5 a.txt'] };
  const place = create({ a: stream }, { 'a.txt': OLD });
  expect((await place.run(server)).status).toBe('complete');
  const comments = [
    await commentOn(place.root, { path: 'a.txt', line: 30, text: 'Another word.' }),
    await commentOn(place.root, { path: 'a.txt', line: 5, suggestion: 'FIVE' }),
  ];
  await ask(place.root, comments, ['a.txt 2', 'new/n.txt 0']);
  return place;
}

const DONE = lines([5, 'FIVE'], [30, 'better']);

/** What a person does after a crash: the round continues, or the review is as before the submit. */
async function continued(place: Project): Promise<'resumed' | 'again'> {
  const isOpen = (await openRound(place.root)) !== undefined;
  if (!isOpen) {
    const { round, decisions, comments } = await opened(place.root);
    expect([round, decisions.size, comments.size]).toEqual([1, 4, 2]);
    expect(place.read('new/n.txt')).toBe('n\n');
    expect(place.read('a.txt')).toContain('last');
    await submit(place.root, { verdict: 'changes' });
  }
  expect((await place.run(server)).status).toBe('complete');
  return isOpen ? 'resumed' : 'again';
}

async function expectDone(place: Project): Promise<void> {
  expect(place.read('a.txt')).toBe(DONE);
  expect(place.exists('new/n.txt')).toBe(false);
  expect(openTransactions(place.root)).toEqual([]);
  const { runId, round, carried, comments } = await opened(place.root);
  const outcomes = carried.map(({ outcome }) => outcome);
  expect([round, comments.size, outcomes]).toEqual([
    2,
    0,
    ['Done by a-fix-1.', 'Done as suggested.'],
  ]);
  const applied = await listApplied(placeIn(place.root).stateDir, runId);
  const standing = applied.filter(({ undone }) => !undone).map(({ streamId }) => streamId);
  expect(standing).toEqual(['a', '.review', 'a-fix-1']);
}

it('is as before the submit or continues, wherever the submit was killed', async () => {
  const calm = await reviewed();
  const { output } = await start(script('./crash-review.ts'), calm.root, 'changes');
  const steps = Number(output);
  expect(steps).toBeGreaterThan(20);
  await continued(calm);
  await expectDone(calm);
  // Each costs a run and the start of a process: the first, the last, and some of the others, which the next time are others.
  const every = process.env['CRASH_EVERYWHERE'] ? 1 : 8;
  const first = 1 + Math.floor(Math.random() * every);
  const chosen = new Set([1, steps]);
  for (let step = first; step <= steps; step += every) chosen.add(step);
  const ends = new Set<string>();
  for (const step of chosen) {
    const place = await reviewed();
    const { signal } = await start(
      script('./crash-review.ts'),
      place.root,
      'changes',
      String(step),
    );
    expect(signal, `step ${step}`).toBe('SIGKILL');
    ends.add(await continued(place));
    await expectDone(place);
    place.remove();
  }
  expect([...ends].sort()).toEqual(['again', 'resumed']);
});

it('is resumed by a run that knows nothing of the review', async () => {
  const place = await reviewed();
  const { output } = await start(script('./crash-review.ts'), place.root, 'changes');
  // The last step is the lock.
  const other = await reviewed();
  await start(script('./crash-review.ts'), other.root, 'changes', output);
  for (const each of [place, other]) {
    expect((await each.run(server)).of('a-fix-1')).toContain('stream.completed');
    await expectDone(each);
  }
});

it('is over with a revert, however far its submit had come', async () => {
  const calm = await reviewed();
  const { output } = await start(script('./crash-review.ts'), calm.root, 'changes');
  for (let step = Number(output); ; step--) {
    const place = await reviewed();
    await start(script('./crash-review.ts'), place.root, 'changes', String(step));
    const at = placeIn(place.root);
    const run = await findRun(at.stateDir, undefined);
    const isEntered = run.events.some(({ type }) => type === 'run.reviewed');
    if (isEntered) continue;
    // It counts, and the journal does not say so yet.
    expect(place.read('a.txt')).toContain('FIVE');
    await revertRun(at, run, { force: false, onProblem: () => {} });
    expect(place.read('a.txt')).toBe(OLD);
    expect(await openRound(place.root)).toBeUndefined();
    expect(place.read('a.txt')).toBe(OLD);
    expect((await opened(place.root)).files).toEqual([]);
    return;
  }
});

it('pays for no call of a fix twice, wherever the run was killed', async () => {
  const calm = await reviewed();
  await submit(calm.root, { verdict: 'changes' });
  const undisturbed = await calm.run(server);
  const moments = [
    'stream.fix',
    'stream.call',
    'stream.answer',
    'stream.applied',
    'stream.completed',
  ];
  const at = (type: string) =>
    undisturbed.events.findLast(
      (event) => event.type === type && JSON.stringify(event).includes('a-fix-1'),
    )!;
  for (const { seq, type } of moments.map(at)) {
    const place = await reviewed();
    await submit(place.root, { verdict: 'changes' });
    const args = [script('./crash-run.ts'), place.root, server.url, server.key, String(seq)];
    expect((await start(...args)).signal, type).toBe('SIGKILL');
    expect(await openRound(place.root)).toMatchObject({ round: 1, state: 'interrupted' });
    const ran = await place.run(server);
    expect(ran.totals.tokens.output, type).toBe(undisturbed.totals.tokens.output);
    await expectDone(place);
    place.remove();
  }
});
