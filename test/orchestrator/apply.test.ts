import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import { realDisk } from '../../src/orchestrator/apply/disk.ts';
import type { Disk } from '../../src/orchestrator/apply/disk.ts';
import { appliedDirOf, listApplied, readApplied } from '../../src/orchestrator/apply/record.ts';
import { stageArtifact } from '../../src/orchestrator/apply/stage.ts';
import type { FileChange } from '../../src/orchestrator/apply/file-change.ts';
import {
  applyChanges,
  recoverTransactions,
  undoApplied,
} from '../../src/orchestrator/apply/transaction.ts';
import { verifies } from '../support/verifies.ts';
import { fillProject, openTransactions, picture, placeIn, tempFolder } from './apply-project.ts';
import { Crash } from './apply-stopping-disk.ts';

let base: ReturnType<typeof tempFolder>;
beforeAll(() => {
  base = tempFolder();
});
afterAll(() => base.remove());

let root: string;
let roots = 0;
beforeEach(() => {
  root = join(base.path, `p${++roots}`);
  fillProject(root, {
    'a.ts': 'one\ntwo\n',
    'b.ts': 'b\n',
    'crlf.ts': 'one\r\ntwo\r\nthree\r\n',
    'no-end.ts': 'one\ntwo',
    'bom.ts': '\ufeffone\ntwo\n',
    'empty.ts': '',
    'run.sh': { text: '#!/bin/sh\n', mode: 0o755 },
    'mine.txt': { text: 'mine\n', mode: 0o600 },
  });
});

const place = (streamId = 's', attempt = 1) => ({
  ...placeIn(root),
  runId: 'run_1',
  streamId,
  attempt,
});
const edit = (path: string, oldText: string, newText: string): Operation => ({
  type: 'edit',
  path,
  edits: [{ oldText, newText }],
});

async function stage(...operations: Operation[]): Promise<FileChange[]> {
  const staged = await stageArtifact({ root, operations, owns: [], protectedPaths: [] });
  if (staged.kind === 'rejected') throw new Error(JSON.stringify(staged.problems));
  return staged.changes;
}

async function problems(...operations: Operation[]) {
  const staged = await stageArtifact({ root, operations, owns: [], protectedPaths: [] });
  return staged.kind === 'rejected' ? staged.problems : [];
}

async function apply(changes: FileChange[], streamId = 's', attempt = 1): Promise<string> {
  const applied = await applyChanges(place(streamId, attempt), changes);
  if (applied.kind === 'conflict') throw new Error(JSON.stringify(applied.problems));
  return applied.dir;
}

const text = (path: string) => readFileSync(join(root, path), 'utf8');
const modeOf = (path: string) => statSync(join(root, path)).mode & 0o7777;

describe('an artifact that is applied', () => {
  it('leaves every file as it was meant, with its line ends, its end and its mode', async () => {
    await apply(
      await stage(
        edit('crlf.ts', 'two\n', 'TWO\nmore\n'),
        edit('no-end.ts', 'two', 'TWO'),
        edit('bom.ts', 'one', 'ONE'),
        { type: 'edit', path: 'empty.ts', content: 'full' },
        edit('run.sh', '#!/bin/sh', '#!/bin/bash'),
        edit('mine.txt', 'mine', 'still mine'),
        { type: 'create', path: 'x/y/z/new.ts', content: '' },
        { type: 'delete', path: 'b.ts' },
      ),
    );
    expect(text('crlf.ts')).toBe('one\r\nTWO\r\nmore\r\nthree\r\n');
    expect(text('no-end.ts')).toBe('one\nTWO');
    expect(text('bom.ts')).toBe('\ufeffONE\ntwo\n');
    expect(text('empty.ts')).toBe('full');
    expect([modeOf('run.sh'), modeOf('mine.txt')]).toEqual([0o755, 0o600]);
    expect([text('x/y/z/new.ts'), modeOf('x/y/z/new.ts')]).toEqual(['', 0o644]);
    expect(existsSync(join(root, 'b.ts'))).toBe(false);
    expect(openTransactions(root)).toEqual([]);
  });

  it('changes nothing where the result is there already', async () => {
    verifies('artifact.apply.no-op');
    const changes = await stage(
      { type: 'create', path: 'a.ts', content: 'one\ntwo\n' },
      { type: 'edit', path: 'b.ts', content: 'b\n', baseSha256: '0'.repeat(64) },
      edit('no-end.ts', 'two', 'two'),
    );
    expect(changes).toEqual([]);
  });

  it('is taken for the file it was made for', async () => {
    const baseSha256 = createHash('sha256').update('b\n').digest('hex');
    const changes = await stage({ type: 'delete', path: 'b.ts', baseSha256 });
    expect(changes).toEqual([
      { path: 'b.ts', before: Buffer.from('b\n'), after: null, mode: 0o644 },
    ]);
  });

  it('tells of every edit that does not fit, with what the model needs to mend it', async () => {
    verifies('artifact.match.once', 'artifact.apply.create-conflict');
    fillProject(root, { 'c.ts': 'const alpha = 1;\nfoo();\nfoo();\n' });
    const found = await problems(
      {
        type: 'edit',
        path: 'c.ts',
        edits: [
          { oldText: 'const alpha = 2;\n', newText: '' },
          { oldText: 'foo();', newText: 'bar();' },
        ],
      },
      { type: 'create', path: 'a.ts', content: 'other' },
    );
    expect(found.map(({ path, code, editIndex }) => [path, code, editIndex])).toEqual([
      ['c.ts', 'NO_MATCH', 0],
      ['c.ts', 'AMBIGUOUS', 1],
      ['a.ts', 'EXISTS', undefined],
    ]);
    expect(found[0]?.nearest).toContain('1: const alpha = 1;');
    expect(found[1]?.lines).toEqual([2, 3]);
  });

  it('may lie in a project that is reached by a symlink', async () => {
    const link = `${root}-link`;
    symlinkSync(root, link);
    const operations: Operation[] = [{ type: 'create', path: 'new.ts', content: 'new' }];
    const staged = await stageArtifact({ root: link, operations, owns: [], protectedPaths: [] });
    if (staged.kind !== 'staged') throw new Error('rejected');
    const applied = await applyChanges({ ...place(), root: link }, staged.changes);
    expect(applied.kind).toBe('applied');
    expect(text('new.ts')).toBe('new');
  });
});

describe('a file that changes between the look at it and the write', () => {
  it.each<[string, () => void, string]>([
    ['by another text', () => writeFileSync(join(root, 'b.ts'), 'mine now\n'), 'STALE'],
    ['by being removed', () => rmSync(join(root, 'b.ts')), 'STALE'],
    ['by being made', () => writeFileSync(join(root, 'new.ts'), 'mine\n'), 'STALE'],
    ['into a folder', () => mkdirSync(join(root, 'new.ts')), 'STALE'],
    [
      'into a symlink',
      () => {
        rmSync(join(root, 'b.ts'));
        symlinkSync('a.ts', join(root, 'b.ts'));
      },
      'STALE',
    ],
    [
      'by its folder becoming a symlink',
      () => {
        renameSync(join(root, 'dir'), join(root, 'moved'));
        symlinkSync('moved', join(root, 'dir'));
      },
      'SYMLINK',
    ],
  ])('%s is a conflict, and nothing is applied', async (_name, meddle, code) => {
    verifies('artifact.apply.atomic');
    fillProject(root, { 'dir/x.ts': 'x\n' });
    const changes = await stage(
      edit('a.ts', 'one', 'ONE'),
      { type: 'create', path: 'fresh/deep/n.ts', content: 'n' },
      edit('b.ts', 'b', 'B'),
      { type: 'create', path: 'new.ts', content: 'new' },
      edit('dir/x.ts', 'x', 'X'),
    );
    meddle();
    const before = picture(root);
    const applied = await applyChanges(place(), changes);
    expect(applied).toMatchObject({ kind: 'conflict', problems: [{ code }] });
    expect(picture(root)).toEqual(before);
    expect(openTransactions(root)).toEqual([]);
    expect(await appliedDirOf(place()).state()).toBe('none');
  });

  it('at the last moment is a conflict, too', async () => {
    const changes = await stage(edit('a.ts', 'one', 'ONE'), edit('b.ts', 'b', 'B'));
    const disk: Disk = {
      ...realDisk,
      async writeNew(path, data, mode) {
        await realDisk.writeNew(path, data, mode);
        if (data.toString() === 'B\n' && !path.endsWith('n1')) {
          writeFileSync(join(root, 'b.ts'), 'mine now\n');
        }
      },
    };
    const applied = await applyChanges(place(), changes, { disk });
    expect(applied.kind).toBe('conflict');
    expect([text('a.ts'), text('b.ts')]).toEqual(['one\ntwo\n', 'mine now\n']);
  });
});

describe('a disk that refuses', () => {
  it('gets everything put back, and the file is named', async () => {
    const changes = await stage(edit('a.ts', 'one', 'ONE'), edit('b.ts', 'b', 'B'));
    const before = picture(root);
    let written = 0;
    const disk: Disk = {
      ...realDisk,
      async writeNew(path, data, mode) {
        if (path.includes('.millrace-txn') && ++written === 2) {
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        }
        await realDisk.writeNew(path, data, mode);
      },
    };
    await expect(applyChanges(place(), changes, { disk })).rejects.toThrow(
      'b.ts cannot be written (ENOSPC); nothing was changed.',
    );
    expect(picture(root)).toEqual(before);
    expect(openTransactions(root)).toEqual([]);
  });
});

describe('the record of what was applied', () => {
  it('has every file before and after', async () => {
    const changes = await stage(edit('a.ts', 'one', 'ONE'), { type: 'delete', path: 'b.ts' });
    const dir = await apply(changes);
    const record = appliedDirOf(place());
    expect(record.dir).toBe(dir);
    expect(dir).toBe(join(root, '.millrace', 'runs', 'run_1', 'applied', 's-1'));
    expect(await record.state()).toBe('applied');
    expect(await record.files()).toEqual(['a.ts', 'b.ts']);
    expect(await readApplied(dir)).toEqual(changes);
  });

  it('is there for a stream that changed nothing', async () => {
    const dir = await apply([]);
    expect(await appliedDirOf(place()).state()).toBe('applied');
    expect(await readApplied(dir)).toEqual([]);
    expect(await undoApplied(placeIn(root), dir)).toEqual({ undone: [], conflicts: [] });
    expect(await appliedDirOf(place()).state()).toBe('undone');
  });

  it('is listed in the order of application, whatever the names are', async () => {
    for (const [i, streamId] of ['z', 'a/b:c', '../evil', 'm'.repeat(300)].entries()) {
      await apply(await stage({ type: 'create', path: `n${i}`, content: 'n' }), streamId);
    }
    const listed = await listApplied(placeIn(root).stateDir, 'run_1');
    expect(listed.map(({ streamId }) => streamId)).toEqual([
      'z',
      'a/b:c',
      '../evil',
      'm'.repeat(300),
    ]);
    expect(readdirSync(join(root, '.millrace', 'runs'))).toEqual(['run_1']);
    expect(await listApplied(placeIn(root).stateDir, 'run_2')).toEqual([]);
  });

  it('is not made twice for one attempt, unless the first was undone', async () => {
    const first = await stage(edit('a.ts', 'one', 'ONE'));
    const dir = await apply(first);
    const second = await stage(edit('b.ts', 'b', 'B'));
    await expect(applyChanges(place(), second)).rejects.toThrow('already applied');
    expect(text('b.ts')).toBe('b\n');
    await undoApplied(placeIn(root), dir);
    await apply(second);
    expect(await readApplied(dir)).toEqual(second);
    expect(await appliedDirOf(place()).state()).toBe('applied');
    expect(await listApplied(placeIn(root).stateDir, 'run_1')).toHaveLength(1);
  });
});

describe('an undo', () => {
  it('brings everything back, and does nothing the second time', async () => {
    const before = picture(root);
    const changes = await stage(
      edit('run.sh', 'sh', 'zsh'),
      { type: 'create', path: 'x/y/new.ts', content: 'n' },
      { type: 'delete', path: 'mine.txt' },
    );
    const dir = await apply(changes);
    expect(await undoApplied(placeIn(root), dir)).toEqual({
      undone: ['run.sh', 'x/y/new.ts', 'mine.txt'],
      conflicts: [],
    });
    expect(picture(root)).toEqual(before);
    expect(await listApplied(placeIn(root).stateDir, 'run_1')).toMatchObject([
      { streamId: 's', undone: true },
    ]);
    writeFileSync(join(root, 'run.sh'), 'later');
    expect(await undoApplied(placeIn(root), dir, { force: true })).toEqual({
      undone: [],
      conflicts: [],
    });
    expect(text('run.sh')).toBe('later');
    expect(await readApplied(dir)).toEqual(changes);
  });

  it('leaves alone what somebody changed since, unless forced', async () => {
    const dir = await apply(
      await stage(edit('a.ts', 'one', 'ONE'), edit('b.ts', 'b', 'B'), {
        type: 'create',
        path: 'x/new.ts',
        content: 'n',
      }),
    );
    writeFileSync(join(root, 'b.ts'), 'mine now\n');
    writeFileSync(join(root, 'x', 'mine.ts'), 'mine\n');
    expect(await undoApplied(placeIn(root), dir)).toEqual({
      undone: ['a.ts', 'x/new.ts'],
      conflicts: ['b.ts'],
    });
    expect([text('a.ts'), text('b.ts')]).toEqual(['one\ntwo\n', 'mine now\n']);
    expect(readdirSync(join(root, 'x'))).toEqual(['mine.ts']);
    writeFileSync(join(root, 'a.ts'), 'later\n');
    expect(await undoApplied(placeIn(root), dir, { force: true })).toEqual({
      undone: ['b.ts'],
      conflicts: [],
    });
    expect([text('a.ts'), text('b.ts')]).toEqual(['later\n', 'b\n']);
  });

  it('brings a file back whose folder is gone', async () => {
    fillProject(root, { 'dir/deep/x.ts': 'x\n' });
    const dir = await apply(await stage({ type: 'delete', path: 'dir/deep/x.ts' }));
    rmSync(join(root, 'dir'), { recursive: true });
    await undoApplied(placeIn(root), dir);
    expect(text('dir/deep/x.ts')).toBe('x\n');
  });

  it('never follows a symlink, not even by force', async () => {
    const dir = await apply(await stage(edit('a.ts', 'one', 'ONE')));
    rmSync(join(root, 'a.ts'));
    symlinkSync('b.ts', join(root, 'a.ts'));
    expect(await undoApplied(placeIn(root), dir, { force: true })).toEqual({
      undone: [],
      conflicts: ['a.ts'],
    });
    expect(text('b.ts')).toBe('b\n');
  });
});

/** Works until something is to get such a name, and then never again. */
function dyingDisk(dies: (path: string) => boolean): Disk {
  let isDead = false;
  const alive = () => {
    if (isDead) throw new Crash('stopped');
  };
  return {
    ...realDisk,
    async removeFile(path) {
      alive();
      await realDisk.removeFile(path);
    },
    async openFolder(path) {
      alive();
      return realDisk.openFolder(path);
    },
    async rename(from, to) {
      isDead ||= dies(to);
      alive();
      await realDisk.rename(from, to);
    },
  };
}

describe('after a crash', () => {
  it('a file that somebody changed before the recovery is left alone, and its past is kept', async () => {
    const changes = await stage(edit('a.ts', 'one', 'ONE'), edit('b.ts', 'b', 'B'));
    // Both files are in place, and then it stops.
    const disk = dyingDisk((path) => path.endsWith('done.json'));
    await expect(applyChanges(place(), changes, { disk })).rejects.toThrow('could not be restored');
    expect([text('a.ts'), text('b.ts')]).toEqual(['ONE\ntwo\n', 'B\n']);
    const [open] = openTransactions(root);
    writeFileSync(join(root, 'b.ts'), 'mine now\n');
    const recovered = await recoverTransactions(placeIn(root));
    expect(recovered).toEqual([
      { runId: 'run_1', streamId: 's', attempt: 1, outcome: 'undone', conflicts: ['b.ts'] },
    ]);
    expect([text('a.ts'), text('b.ts')]).toEqual(['one\ntwo\n', 'mine now\n']);
    const left = join(root, '.millrace', 'runs', 'run_1', 'left', open!);
    expect(readFileSync(join(left, 'b1'), 'utf8')).toBe('b\n');
    expect(openTransactions(root)).toEqual([]);
  });

  it('there is nothing to do in a project without any state', async () => {
    expect(await recoverTransactions(placeIn(root))).toEqual([]);
    expect(existsSync(join(root, '.millrace'))).toBe(false);
  });

  it('state that leads out of the project is refused', async () => {
    symlinkSync(base.path, join(root, '.millrace'));
    const before = readdirSync(base.path);
    await expect(applyChanges(place(), await stage(edit('a.ts', 'one', 'ONE')))).rejects.toThrow(
      'must be a folder',
    );
    expect(readdirSync(base.path)).toEqual(before);
    expect(text('a.ts')).toBe('one\ntwo\n');
  });

  it('a folder that cannot be written to stays as it is', async () => {
    fillProject(root, { 'locked/x.ts': 'x\n' });
    const changes = await stage(edit('a.ts', 'one', 'ONE'), edit('locked/x.ts', 'x', 'X'));
    chmodSync(join(root, 'locked'), 0o555);
    const before = picture(root);
    // A user who may do everything is not stopped by the mode.
    if (process.getuid?.() !== 0) {
      await expect(applyChanges(place(), changes)).rejects.toThrow('locked/x.ts cannot be written');
      expect(picture(root)).toEqual(before);
    }
    chmodSync(join(root, 'locked'), 0o755);
  });
});
