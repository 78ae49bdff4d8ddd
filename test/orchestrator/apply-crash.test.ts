import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import { appliedDirOf } from '../../src/orchestrator/apply/record.ts';
import { stageArtifact } from '../../src/orchestrator/apply/stage.ts';
import type { FileChange } from '../../src/orchestrator/apply/stage.ts';
import {
  applyChanges,
  recoverTransactions,
  undoApplied,
} from '../../src/orchestrator/apply/transaction.ts';
import { verifies } from '../support/verifies.ts';
import { fillProject, openTransactions, picture, tempFolder } from './apply-project.ts';
import type { TestFiles } from './apply-project.ts';
import { Crash, createStoppingDisk } from './apply-stopping-disk.ts';
import type { StoppingDisk } from './apply-stopping-disk.ts';

let base: ReturnType<typeof tempFolder>;
beforeAll(() => {
  base = tempFolder();
});
afterAll(() => base.remove());

const FILES: TestFiles = {
  'README.md': '# A project\n',
  'empty.txt': '',
  'bin/run.sh': { text: '#!/bin/sh\necho one\n', mode: 0o755 },
  'secret.txt': { text: 'only mine\n', mode: 0o600 },
  'image.bin': Buffer.from([0, 1, 2, 255, 254]),
  'src/crlf.ts': 'a\r\nb\r\nc\r\n',
  'src/no-end.ts': 'one\ntwo',
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, i) => [`src/f${i}.ts`, `export const f${i} = ${i};\n`]),
  ),
};

const pair = (oldText: string, newText: string) => [{ oldText, newText }];

const TWENTY: Operation[] = [
  { type: 'create', path: 'deep/down/below/new.ts', content: 'new\n' },
  { type: 'create', path: 'deep/down/other.ts', content: '' },
  { type: 'create', path: 'deep/side/x.ts', content: 'x' },
  { type: 'create', path: 'src/added.ts', content: 'added\n' },
  { type: 'create', path: 'top.ts', content: 'top\n' },
  { type: 'edit', path: 'README.md', content: '# Another\n' },
  { type: 'edit', path: 'empty.txt', content: 'no more\n' },
  { type: 'edit', path: 'bin/run.sh', edits: pair('echo one', 'echo two') },
  { type: 'edit', path: 'secret.txt', edits: pair('only mine', 'still mine') },
  { type: 'edit', path: 'src/crlf.ts', edits: pair('b', 'B') },
  { type: 'edit', path: 'src/no-end.ts', edits: pair('two', 'three') },
  { type: 'edit', path: 'src/f0.ts', edits: pair('= 0', '= 100') },
  { type: 'edit', path: 'src/f1.ts', content: '' },
  { type: 'edit', path: 'src/f2.ts', edits: pair('f2', 'g2') },
  { type: 'delete', path: 'image.bin' },
  { type: 'delete', path: 'src/f3.ts' },
  { type: 'delete', path: 'src/f4.ts' },
  { type: 'delete', path: 'src/f5.ts' },
  { type: 'edit', path: 'src/f6.ts', edits: pair('= 6', '= 66') },
  { type: 'create', path: 'src/f9.ts', content: 'nine\n' },
];

/** One of each kind, for the trials whose number goes with the square. */
const FOUR = TWENTY.filter(({ path }) =>
  ['deep/side/x.ts', 'bin/run.sh', 'src/f1.ts', 'image.bin'].includes(path),
);

const filesFor = (operations: Operation[]): TestFiles =>
  operations === FOUR
    ? Object.fromEntries(
        Object.entries(FILES).filter(([path]) => FOUR.some((o) => o.path === path)),
      )
    : FILES;

const STREAM = { runId: 'run_1', streamId: 'stream', attempt: 1 };

let roots = 0;
function newRoot(): string {
  return join(base.path, `p${++roots}`);
}

async function stage(root: string, operations: Operation[]): Promise<FileChange[]> {
  const staged = await stageArtifact({ root, operations, owns: [], protectedPaths: [] });
  if (staged.kind === 'rejected') throw new Error(JSON.stringify(staged.problems));
  return staged.changes;
}

type Step = (disk: StoppingDisk['disk'], root: string) => Promise<unknown>;

/** Runs a step until the world stops; says whether it did. */
async function stops(step: Step, root: string, allowed: number): Promise<boolean> {
  try {
    await step(createStoppingDisk(allowed).disk, root);
    return false;
  } catch (error) {
    const causes = error instanceof AggregateError ? error.errors : [error];
    if (causes.some((cause) => !(cause instanceof Crash))) throw error;
    return true;
  }
}

const recovery: Step = (disk, root) => recoverTransactions(root, { disk });

/** Everything that could be left behind. */
function check(root: string, pictures: { before: string[]; after: string[] }): 'before' | 'after' {
  expect(openTransactions(root)).toEqual([]);
  const now = picture(root);
  const isBefore = JSON.stringify(now) === JSON.stringify(pictures.before);
  if (!isBefore) expect(now).toEqual(pictures.after);
  return isBefore ? 'before' : 'after';
}

interface Scene {
  /** A project in which the step has not begun. */
  start: string;
  step: Step;
  before: string[];
  after: string[];
  changes: number;
}

async function sceneOf(start: string, step: Step): Promise<Scene> {
  const before = picture(start);
  const root = newRoot();
  cpSync(start, root, { recursive: true });
  const whole = createStoppingDisk();
  await step(whole.disk, root);
  const after = picture(root);
  expect(after).not.toEqual(before);
  expect(openTransactions(root)).toEqual([]);
  rmSync(root, { recursive: true });
  return { start, step, before, after, changes: whole.changes() };
}

async function applyScene(operations: Operation[]): Promise<Scene> {
  const start = newRoot();
  fillProject(start, filesFor(operations));
  const changes = await stage(start, operations);
  return sceneOf(start, (disk, root) => applyChanges({ root, ...STREAM }, changes, { disk }));
}

async function undoScene(operations: Operation[]): Promise<Scene> {
  const start = newRoot();
  fillProject(start, filesFor(operations));
  const place = { root: start, ...STREAM };
  await applyChanges(place, await stage(start, operations));
  return sceneOf(start, (disk, root) =>
    undoApplied(root, appliedDirOf({ root, ...STREAM }).dir, { disk }),
  );
}

async function stopEverywhere(scene: Scene): Promise<{ before: number; after: number }> {
  const ends = { before: 0, after: 0 };
  for (let allowed = 0; allowed < scene.changes; allowed++) {
    const root = newRoot();
    cpSync(scene.start, root, { recursive: true });
    expect(await stops(scene.step, root, allowed)).toBe(true);
    await recoverTransactions(root, { disk: createStoppingDisk().disk });
    ends[check(root, scene)] += 1;
    rmSync(root, { recursive: true });
  }
  return ends;
}

/** A second crash at every change of the recovery from every crash. */
async function stopTwiceEverywhere(scene: Scene, stride = 1): Promise<number> {
  let trials = 0;
  for (let allowed = 0; allowed < scene.changes; allowed += stride) {
    const crashed = newRoot();
    cpSync(scene.start, crashed, { recursive: true });
    await stops(scene.step, crashed, allowed);
    for (let again = 0, isStopped = true; isStopped; again++) {
      const root = newRoot();
      cpSync(crashed, root, { recursive: true });
      isStopped = await stops(recovery, root, again);
      await recoverTransactions(root, { disk: createStoppingDisk().disk });
      check(root, scene);
      rmSync(root, { recursive: true });
      trials += 1;
    }
    rmSync(crashed, { recursive: true });
  }
  return trials;
}

describe('a crash while twenty operations are applied', () => {
  it('leaves all or nothing, at every change of the disk', async () => {
    verifies('artifact.apply.atomic');
    const scene = await applyScene(TWENTY);
    const ends = await stopEverywhere(scene);
    expect(ends.before).toBeGreaterThan(60);
    expect(ends.after).toBeGreaterThan(0);
  });

  it('leaves all or nothing when the recovery crashes as well, at every change it makes', async () => {
    verifies('artifact.apply.atomic');
    const scene = await applyScene(TWENTY);
    // All pairs are tried with fewer operations below.
    expect(await stopTwiceEverywhere(scene, 50)).toBeGreaterThan(50);
  });
});

describe('a crash', () => {
  it('may come twice at any two changes of the disk', async () => {
    const scene = await applyScene(FOUR);
    expect(await stopTwiceEverywhere(scene)).toBeGreaterThan(scene.changes * 5);
  });

  it('during an undo leaves all done or all undone', async () => {
    const ends = await stopEverywhere(await undoScene(TWENTY));
    expect(ends.before).toBeGreaterThan(60);
    expect(ends.after).toBeGreaterThan(0);
  });

  it('during an undo may come twice at any two changes of the disk', async () => {
    const scene = await undoScene(FOUR);
    expect(await stopTwiceEverywhere(scene)).toBeGreaterThan(scene.changes * 5);
  });
});

describe('the recovery', () => {
  async function recordAfter(scene: Scene, allowed: number) {
    const root = newRoot();
    cpSync(scene.start, root, { recursive: true });
    await stops(scene.step, root, allowed);
    const recovered = await recoverTransactions(root);
    const end = check(root, scene);
    return { recovered, end, state: await appliedDirOf({ root, ...STREAM }).state() };
  }

  it('says what became of the stream, as its record does', async () => {
    const apply = await applyScene(FOUR);
    const undo = await undoScene(FOUR);
    const told = new Set<string>();
    for (const [scene, states] of [
      [apply, { before: 'none', after: 'applied' }],
      [undo, { before: 'applied', after: 'undone' }],
    ] as const) {
      for (let allowed = 0; allowed < scene.changes; allowed++) {
        const { recovered, end, state } = await recordAfter(scene, allowed);
        expect(state).toBe(states[end]);
        const outcome = (scene === apply) === (end === 'after') ? 'applied' : 'undone';
        const expected = { ...STREAM, outcome, conflicts: [] };
        for (const each of recovered) expect(each).toEqual(expected);
        for (const each of recovered) told.add(`${end} ${each.outcome}`);
      }
    }
    expect([...told].sort()).toEqual([
      'after applied',
      'after undone',
      'before applied',
      'before undone',
    ]);
  });
});
