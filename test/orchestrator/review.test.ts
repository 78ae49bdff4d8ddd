// The review of what a run has written: parts of it are taken back, as one, where the rest passes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { revertRun } from '../../src/orchestrator/changes/revert-run.ts';
import { diffRun } from '../../src/orchestrator/changes/diff-run.ts';
import { changedSince } from '../../src/orchestrator/changes/changed-since.ts';
import { findRun, findTarget, stateOfRun } from '../../src/orchestrator/project/find-run.ts';
import { openTransactions, placeIn } from './apply-project.ts';
import { answer, numbered, opened, replyWith, submit } from './review-project.ts';
import type { Project } from './project.ts';
import { useProjects } from './use-projects.ts';

const { server, project: create } = useProjects();

const OLD = numbered(30);
const WINDOWS = numbered(30, '\r\n');
const FIRST = OLD.replace('line 2\n', 'first\n');
const BOTH = FIRST.replace('line 29\n', 'second\n');
const WINDOWS_FIRST = WINDOWS.replace('line 2\r', 'first\r');
const WINDOWS_BOTH = WINDOWS_FIRST.replace('line 29\r', 'second\r');

const edit = (path: string, content: string) => ({ type: 'edit', path, content });

/** Every kind of change in one stream, and a second one that builds on it. */
function project(verify: string[] = [], verifyNext: string[] = []): Project {
  const operations = [
    edit('a.txt', BOTH),
    edit('w.txt', WINDOWS_BOTH),
    { type: 'create', path: 'new/n.txt', content: 'new\nno end' },
    { type: 'delete', path: 'old.txt' },
    { type: 'delete', path: 'from.txt' },
    { type: 'create', path: 'to.txt', content: 'moved\n' },
  ];
  return create(
    {
      a: { name: 'a', owns: ['**'], plan: replyWith(operations), verify },
      b: {
        name: 'b',
        owns: ['b.md'],
        deps: ['a'],
        plan: replyWith([{ type: 'create', path: 'b.md', content: 'b\n' }]),
        verify: verifyNext,
      },
    },
    { 'a.txt': OLD, 'w.txt': WINDOWS, 'old.txt': 'old\n', 'from.txt': 'moved\n' },
  );
}

async function ran(place: Project): Promise<Record<string, string>> {
  expect((await place.run(server)).status).toBe('complete');
  return place.tree();
}

const REJECTED = ['a.txt 1', 'w.txt 0', 'new/n.txt 0', 'old.txt 0', 'from.txt 0', 'to.txt 0'];

describe('a review of what a run has written', () => {
  it('takes back what was rejected, of every kind of change, and leaves the rest', async () => {
    const place = project();
    const before = await ran(place);
    await answer(place.root, REJECTED);
    const submitted = await submit(place.root);
    expect(submitted).toMatchObject({ accepted: 3, rejected: 6, undecided: 0 });
    const { 'new/n.txt': _, 'to.txt': _to, ...rest } = before;
    expect(place.tree()).toEqual({
      ...rest,
      'a.txt': FIRST,
      'w.txt': WINDOWS.replace('line 29\r', 'second\r'),
      'old.txt': 'old\n',
      'from.txt': 'moved\n',
    });
    const at = placeIn(place.root);
    const run = await findRun(at.stateDir, undefined);
    expect(stateOfRun(at.stateDir, run)).toBe('complete');
    expect(run.events.at(-1)).toMatchObject({ type: 'run.reviewed', accepted: 3, rejected: 6 });
    const { applied } = await diffRun(at, await findTarget(at.stateDir, []));
    expect(applied.map(({ path }) => path)).toEqual(['a.txt', 'b.md', 'w.txt']);
    // Nobody but the run and its review wrote the files.
    expect(await changedSince(at, 'millrace.yaml', new Set(['a', 'b']))).toEqual([]);
    const again = await opened(place.root);
    expect(again.files.flatMap(({ hunks }) => hunks).length).toBe(3);
    for (const { id } of again.files.flatMap(({ hunks }) => hunks)) {
      expect(again.decisions.get(id)).toEqual({ kind: 'accepted' });
    }
    expect(again.decisions.size).toBe(3);
    await revertRun(at, run, { force: false, onProblem: () => {} });
    expect(place.tree()).toMatchObject({ 'a.txt': OLD, 'w.txt': WINDOWS, 'from.txt': 'moved\n' });
    expect(place.exists('b.md')).toBe(false);
  });

  it('counts only where the checks pass, also those of streams that build on the files', async () => {
    const place = project(['true'], ['grep -q second a.txt || { echo missing; exit 1; }']);
    const before = await ran(place);
    await answer(place.root, REJECTED);
    const submitted = await submit(place.root);
    expect(submitted).toMatchObject({ files: [], failed: { stream: 'b' } });
    expect(submitted.failed!.output).toContain('missing');
    expect(place.tree()).toEqual(before);
    expect(openTransactions(place.root)).toEqual([]);
    const again = await opened(place.root);
    expect(again.failed).toEqual(submitted.failed);
    // What was kept is still agreed to; what was taken back is asked about again.
    expect(again.decisions.size).toBe(3);
    await answer(place.root, ['w.txt 0']);
    expect(await submit(place.root)).toMatchObject({ files: ['w.txt'] });
    expect((await opened(place.root)).failed).toBeUndefined();
  });

  it('is as if it had not begun after a kill -9 while the rest is checked', async () => {
    const place = project(['true']);
    const before = await ran(place);
    await answer(place.root, REJECTED);
    const script = fileURLToPath(new URL('./crash-review.ts', import.meta.url));
    const child = spawn(process.execPath, [script, place.root], { stdio: 'inherit' });
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    expect(place.read('a.txt')).toBe(FIRST);
    const again = await opened(place.root);
    expect(place.tree()).toEqual(before);
    expect([...again.decisions.values()].filter(({ kind }) => kind === 'rejected')).toHaveLength(6);
    expect(await submit(place.root)).toMatchObject({ rejected: 6 });
    expect(place.read('a.txt')).toBe(FIRST);
  });

  it('has to wait for a run that was cut off, which may have written what was never checked', async () => {
    const place = project();
    const script = fileURLToPath(new URL('./crash-run.ts', import.meta.url));
    const child = spawn(process.execPath, [
      script,
      place.root,
      server.url,
      server.key,
      'stream.applied',
    ]);
    const [, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    expect(place.read('a.txt')).toBe(BOTH);
    await expect(opened(place.root)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('checks nothing and asks for no approval where nothing is taken back', async () => {
    const place = project(['test ! -e ran-again']);
    await ran(place);
    await answer(place.root, []);
    place.write('ran-again', '');
    const approve = async () => {
      throw new Error('asked');
    };
    expect(await submit(place.root, { approve })).toMatchObject({ files: [], accepted: 9 });
  });
});

describe('a file that was changed after the run', () => {
  it('is not part of the review', async () => {
    const place = project();
    await ran(place);
    place.write('a.txt', 'mine\n');
    const { files, changedSince: others } = await opened(place.root);
    expect(others.map(({ change }) => change.path)).toEqual(['a.txt']);
    expect(files.map(({ change }) => change.path)).not.toContain('a.txt');
    await answer(place.root, ['w.txt 1']);
    await submit(place.root);
    expect(place.read('a.txt')).toBe('mine\n');
    expect(place.read('w.txt')).toBe(WINDOWS_FIRST);
  });

  it('stops a submit that is about it: nothing is taken back and no answer is lost', async () => {
    const place = project();
    await ran(place);
    await answer(place.root, ['a.txt 0', 'w.txt 1']);
    place.write('a.txt', 'mine\n');
    const before = place.tree();
    await expect(submit(place.root)).rejects.toMatchObject({ code: 'CONFLICT', items: ['a.txt'] });
    expect(place.tree()).toEqual(before);
    const kinds = [...(await opened(place.root)).decisions.values()].map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'rejected')).toHaveLength(2);
  });

  it('by a check, while the rest was checked, is left as the check made it', async () => {
    const place = project(['test ! -e formats || { echo formatted >a.txt; exit 1; }']);
    await ran(place);
    place.write('formats', '');
    await answer(place.root, ['a.txt 0', 'w.txt 1']);
    expect((await submit(place.root)).failed).toMatchObject({ stream: 'a' });
    expect(place.read('w.txt')).toBe(WINDOWS_BOTH);
    const { changedSince: others } = await opened(place.root);
    expect(others.map(({ change }) => change.path)).toEqual(['a.txt']);
  });
});
