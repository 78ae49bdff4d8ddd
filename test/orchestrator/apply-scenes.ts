// Projects to which something is done that can be stopped anywhere, with how they look before and
// after it.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import type { Disk } from '../../src/orchestrator/apply/disk.ts';
import { appliedDirOf } from '../../src/orchestrator/apply/record.ts';
import { stageArtifact } from '../../src/orchestrator/apply/stage.ts';
import type { FileChange } from '../../src/orchestrator/apply/file-change.ts';
import { applyChanges, undoApplied } from '../../src/orchestrator/apply/transaction.ts';
import { fillProject, openTransactions, picture, placeIn, tempFolder } from './apply-project.ts';
import type { TestFiles } from './apply-project.ts';
import { Crash, createStoppingDisk } from './apply-stopping-disk.ts';

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

export const TWENTY: Operation[] = [
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

const RUN = '#!/bin/sh\necho one\n';

/** Of modes: alone, with the text, and taken away. */
export const MODES: Operation[] = [
  { type: 'edit', path: 'src/f0.ts', content: 'export const f0 = 0;\n', executable: true },
  { type: 'edit', path: 'secret.txt', content: 'still mine\n', executable: true },
  { type: 'edit', path: 'bin/run.sh', content: RUN, executable: false },
  { type: 'create', path: 'bin/new.sh', content: RUN, executable: true },
];

/** One of each kind, for the trials whose number goes with the square. */
export const FOUR = TWENTY.filter(({ path }) =>
  ['deep/side/x.ts', 'bin/run.sh', 'src/f1.ts', 'image.bin'].includes(path),
);

const filesFor = (operations: Operation[]): TestFiles =>
  operations === TWENTY
    ? FILES
    : Object.fromEntries(
        Object.entries(FILES).filter(([path]) => operations.some((one) => one.path === path)),
      );

export const STREAM = { runId: 'run_1', streamId: 'stream', attempt: 1 };

async function stage(root: string, operations: Operation[]): Promise<FileChange[]> {
  const staged = await stageArtifact({ root, operations, owns: [], protectedPaths: [] });
  if (staged.kind === 'rejected') throw new Error(JSON.stringify(staged.problems));
  return staged.changes;
}

export type Step = (disk: Disk, root: string) => Promise<unknown>;

/** Whether the world stopped while this was done. */
export async function isStopped(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    const causes = error instanceof AggregateError ? error.errors : [error];
    if (causes.some((cause) => !(cause instanceof Crash))) throw error;
    return true;
  }
}

/** Everything that could be left behind. */
export function check(
  root: string,
  pictures: { before: string[]; after: string[] },
): 'before' | 'after' {
  expect(openTransactions(root)).toEqual([]);
  const now = picture(root);
  const isBefore = JSON.stringify(now) === JSON.stringify(pictures.before);
  if (!isBefore) expect(now).toEqual(pictures.after);
  return isBefore ? 'before' : 'after';
}

export interface Scene {
  /** A project in which the step has not begun. */
  start: string;
  step: Step;
  before: string[];
  after: string[];
  changes: number;
}

export interface Scenes {
  newRoot(): string;
  apply(operations: Operation[]): Promise<Scene>;
  undo(operations: Operation[]): Promise<Scene>;
}

/** For the tests of one file. */
export function useScenes(): Scenes {
  let base: ReturnType<typeof tempFolder>;
  beforeAll(() => {
    base = tempFolder();
  });
  afterAll(() => base.remove());
  let roots = 0;
  const newRoot = () => join(base.path, `p${++roots}`);

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

  return {
    newRoot,
    async apply(operations) {
      const start = newRoot();
      fillProject(start, filesFor(operations));
      const changes = await stage(start, operations);
      return sceneOf(start, (disk, root) =>
        applyChanges({ ...placeIn(root), ...STREAM }, changes, { disk }),
      );
    },
    async undo(operations) {
      const start = newRoot();
      fillProject(start, filesFor(operations));
      const place = { ...placeIn(start), ...STREAM };
      await applyChanges(place, await stage(start, operations));
      return sceneOf(start, (disk, root) =>
        undoApplied(placeIn(root), appliedDirOf({ ...placeIn(root), ...STREAM }).dir, { disk }),
      );
    },
  };
}
