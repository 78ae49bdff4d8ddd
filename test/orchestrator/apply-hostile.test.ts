import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import { stageArtifact } from '../../src/orchestrator/apply/stage.ts';
import type { FileChange } from '../../src/orchestrator/apply/file-change.ts';
import { applyChanges } from '../../src/orchestrator/apply/transaction.ts';
import { verifies } from '../support/verifies.ts';
import { fillProject, openTransactions, picture, placeIn, tempFolder } from './apply-project.ts';

let base: ReturnType<typeof tempFolder>;
beforeAll(() => {
  base = tempFolder();
});
afterAll(() => base.remove());

// The project lies between folders that nothing may touch.
let world: string;
let root: string;
let worlds = 0;
beforeEach(() => {
  world = join(base.path, `w${++worlds}`);
  root = join(world, 'home', 'project');
  fillProject(world, {
    'canary.txt': 'outside\n',
    'home/.bashrc': 'outside\n',
    'home/other/secret.ts': 'outside\n',
    'home/project-twin/a.ts': 'outside\n',
  });
  fillProject(root, {
    'src/a.ts': 'one\ntwo\nthree\ntwo\n',
    'src/b.ts': 'b\n',
    'src/many.ts': '  x\n'.repeat(5000),
    'src/image.png': Buffer.from([0x89, 0x50, 0, 1]),
    'src/latin1.txt': Buffer.from([0x68, 0xf6, 0x68, 0x65]),
    'package.json': '{}\n',
    'feature.yaml': 'feature: x\n',
    '.git/config': '[core]\n',
    '.millrace/lock': '{}',
    '.env': 'TOKEN=1\n',
    '.npmrc': 'x=1\n',
  });
  symlinkSync('../../other', join(root, 'src', 'out'));
  symlinkSync('../../../canary.txt', join(root, 'src', 'canary-link.ts'));
  symlinkSync('b.ts', join(root, 'src', 'inside-link.ts'));
  symlinkSync('/nowhere/at/all', join(root, 'src', 'dangling.ts'));
  symlinkSync('loop-b', join(root, 'src', 'loop-a'));
  symlinkSync('loop-a', join(root, 'src', 'loop-b'));
  linkSync(join(world, 'home', 'other', 'secret.ts'), join(root, 'src', 'hard.ts'));
  mkdirSync(join(root, 'src', 'folder.ts'));
  execFileSync('mkfifo', [join(root, 'src', 'pipe')]);
});

const create = (path: string, content = 'evil\n'): Operation => ({ type: 'create', path, content });
const edit = (path: string, oldText: string, newText = 'evil'): Operation => ({
  type: 'edit',
  path,
  edits: [{ oldText, newText }],
});
const remove = (path: string): Operation => ({ type: 'delete', path });
const GOOD = [create('src/good.ts'), edit('src/b.ts', 'b', 'B')];
const BASE = 'a'.repeat(64);

async function stage(operations: Operation[], owns: readonly string[] = []) {
  return stageArtifact({ root, operations, owns, protectedPaths: ['feature.yaml'] });
}

interface Hostile {
  name: string;
  operations: Operation[];
  code: string;
  owns?: string[];
}

const one = (name: string, code: string, ...operations: Operation[]): Hostile => ({
  name,
  code,
  operations,
});
const owned = (hostile: Hostile, ...owns: string[]): Hostile => ({ ...hostile, owns });

const HOSTILE: Hostile[] = [
  one('a path that climbs out', 'BAD_PATH', create('../evil.ts')),
  one('a path that climbs out later', 'BAD_PATH', create('src/../../evil.ts')),
  one('a path that climbs and comes back', 'BAD_PATH', create('../project-twin/a.ts')),
  one('an absolute path', 'BAD_PATH', create('/etc/cron.d/evil')),
  one('a home folder', 'BAD_PATH', create('~/.bashrc')),
  one('a drive', 'BAD_PATH', create('C:/evil.ts')),
  one('a stream of a file', 'BAD_PATH', create('src/a.ts:hidden')),
  one('backslashes', 'BAD_PATH', create('..\\evil.ts')),
  one('a NUL', 'BAD_PATH', create('src/a.ts\0.png')),
  one('a line break', 'BAD_PATH', create('src/a\nb.ts')),
  one('an empty path', 'BAD_PATH', create('')),
  one('an empty segment', 'BAD_PATH', create('src//x.ts')),
  one('a dot segment', 'BAD_PATH', create('./src/x.ts')),
  one('a trailing dot', 'BAD_PATH', create('src/x.ts.')),
  one('a trailing space', 'BAD_PATH', create('src/x.ts ')),
  one('a folder', 'BAD_PATH', create('src/')),
  one('a device', 'BAD_PATH', create('src/CON')),
  one('a device with an extension', 'BAD_PATH', create('src/nul.txt')),
  one('a short name', 'BAD_PATH', create('GIT~1/hooks/pre-commit')),
  one('the repository', 'BAD_PATH', create('.git/hooks/pre-commit')),
  one('the repository in capitals', 'BAD_PATH', create('.GiT/hooks/pre-commit')),
  one('a repository farther down', 'BAD_PATH', edit('vendor/x/.git/config', 'a')),
  one('letters that run backwards', 'BAD_PATH', create('src/\u202egnp.ts')),
  one('a letter of no width', 'BAD_PATH', create('src/a\u200b.ts')),
  one('a name in another normal form', 'BAD_PATH', create('src/u\u0308.ts')),
  one('half a letter', 'BAD_PATH', create('src/\ud800.ts')),
  one('a name that is too long', 'BAD_PATH', create(`src/${'x'.repeat(256)}`)),
  one('a path that is too deep', 'BAD_PATH', create(`${'d/'.repeat(70)}x`)),
  one('a symlink to a folder outside', 'SYMLINK', create('src/out/evil.ts')),
  one('a file behind a symlink', 'SYMLINK', edit('src/out/secret.ts', 'outside')),
  one('a delete behind a symlink', 'SYMLINK', remove('src/out/secret.ts')),
  one('a symlink to a file outside', 'SYMLINK', edit('src/canary-link.ts', 'outside')),
  one('a symlink to a file inside', 'SYMLINK', edit('src/inside-link.ts', 'b')),
  one('a symlink to nothing', 'SYMLINK', create('src/dangling.ts')),
  one('a loop of symlinks', 'SYMLINK', create('src/loop-a/x.ts')),
  one('the delete of a symlink', 'SYMLINK', remove('src/canary-link.ts')),
  one('a hard link', 'SYMLINK', edit('src/hard.ts', 'outside')),
  one('a folder as a file', 'NOT_A_FILE', remove('src/folder.ts')),
  one('a file as a folder', 'NOT_A_FILE', create('src/a.ts/x.ts')),
  one('a pipe', 'NOT_A_FILE', edit('src/pipe', 'x')),
  one('the manifest', 'PROTECTED', edit('feature.yaml', 'x')),
  owned(one('the manifest that is owned', 'PROTECTED', edit('feature.yaml', 'x')), 'feature.yaml'),
  one('the manifest in capitals', 'PROTECTED', create('FEATURE.yaml')),
  one('the state of runs', 'PROTECTED', create('.millrace/runs/x/journal.jsonl')),
  owned(one('owned state of runs', 'PROTECTED', create('.millrace/lock')), '.millrace/'),
  one('workflows', 'PROTECTED', create('.github/workflows/evil.yml')),
  owned(one('workflows by a wide glob', 'PROTECTED', create('.github/workflows/x.yml')), '**'),
  owned(
    one('workflows by their parent', 'PROTECTED', create('.github/workflows/x.yml')),
    '.github/',
  ),
  one('hooks', 'PROTECTED', create('.husky/pre-commit')),
  one('settings of the package manager', 'PROTECTED', edit('.npmrc', 'x=1')),
  one('such settings farther down', 'PROTECTED', create('packages/a/.NPMRC')),
  one('secrets', 'PROTECTED', edit('.env', 'TOKEN=1')),
  one('more secrets', 'PROTECTED', create('.env.production')),
  one('packages', 'PROTECTED', create('node_modules/left-pad/index.js')),
  owned(one('a path outside of owns', 'OUTSIDE_OWNS', create('lib/x.ts')), 'src/**'),
  owned(one('a twin of a folder that is owned', 'OUTSIDE_OWNS', create('src2/x.ts')), 'src/'),
  owned(one('a file with another extension', 'OUTSIDE_OWNS', create('src/x.js')), 'src/**/*.ts'),
  owned(one('owns that cannot be read', 'OUTSIDE_OWNS', create('src/x.ts')), '../**'),
  one('a create over another file', 'EXISTS', create('src/a.ts')),
  one('an edit of nothing', 'MISSING', edit('src/none.ts', 'x')),
  one('a whole text for nothing', 'MISSING', { type: 'edit', path: 'src/no.ts', content: 'x' }),
  one('a delete of nothing', 'MISSING', remove('src/none.ts')),
  one('an edit of another file', 'STALE', {
    type: 'edit',
    path: 'src/a.ts',
    content: 'x',
    baseSha256: BASE,
  }),
  one('a delete of another file', 'STALE', { type: 'delete', path: 'src/a.ts', baseSha256: BASE }),
  one('a text that is not there', 'NO_MATCH', edit('src/a.ts', 'four')),
  one('an empty text', 'NO_MATCH', edit('src/a.ts', '')),
  one('a text that is there twice', 'AMBIGUOUS', edit('src/a.ts', 'two')),
  one('edits of the same text', 'OVERLAP', {
    type: 'edit',
    path: 'src/a.ts',
    edits: [
      { oldText: 'one\ntwo', newText: 'x' },
      { oldText: 'one', newText: 'y' },
    ],
  }),
  one('an edit of an image', 'NOT_TEXT', edit('src/image.png', 'P')),
  one('a text instead of an image', 'NOT_TEXT', {
    type: 'edit',
    path: 'src/image.png',
    content: 'x',
  }),
  one('an edit of another encoding', 'NOT_TEXT', edit('src/latin1.txt', 'h')),
  one('a text with half a letter', 'NOT_TEXT', create('src/x.ts', 'a\ud800')),
  one('one file twice', 'DUPLICATE', create('src/x.ts', '1'), create('src/x.ts', '2')),
  one('names that differ by case', 'DUPLICATE', create('src/x.ts'), create('src/X.ts')),
  one('a file that is a folder, too', 'DUPLICATE', create('src/x'), create('src/X/y.ts')),
  one('a large file', 'TOO_LARGE', create('src/x.ts', 'x'.repeat(5 * 1024 * 1024 + 1))),
  one('a text that multiplies', 'TOO_LARGE', multiply('src/many.ts', 'x')),
  one('a text that multiplies where it is alike', 'TOO_LARGE', multiply('src/many.ts', 'x  ')),
  one('too much together', 'TOO_LARGE', ...large(11)),
  one('too many operations', 'TOO_LARGE', ...many(501)),
];

function multiply(path: string, oldText: string): Operation {
  const edits = [{ oldText, newText: 'y\n'.repeat(1_000_000), replaceAll: true }];
  return { type: 'edit', path, edits };
}

function large(count: number): Operation[] {
  return Array.from({ length: count }, (_, i) => create(`src/l${i}.ts`, 'x'.repeat(5_000_000)));
}

function many(count: number): Operation[] {
  return Array.from({ length: count }, (_, i) => create(`src/m${i}.ts`));
}

describe('a hostile artifact', () => {
  it.each(HOSTILE)('with $name is rejected', async ({ operations, code, owns }) => {
    verifies('artifact.path.symlink', 'artifact.path.owns', 'artifact.apply.create-conflict');
    const before = picture(world, { withState: true });
    const staged = await stage(operations, owns ?? []);
    expect(staged.kind).toBe('rejected');
    if (staged.kind !== 'rejected') return;
    expect(staged.problems.map((problem) => problem.code)).toContain(code);
    for (const { message } of staged.problems) expect(message).toMatch(/^.{10,}\.$/s);
    expect(picture(world, { withState: true })).toEqual(before);
  });

  it('takes the good operations beside it down, and every problem is told', async () => {
    verifies('artifact.path.rejects-whole', 'artifact.apply.atomic');
    const before = picture(world, { withState: true });
    const small = HOSTILE.filter(({ owns, operations }) => !owns && operations.length === 1);
    const apart = small.filter(
      ({ name }) => !name.includes('large') && !/\bthe (man|del)/.test(name),
    );
    const unlike = new Map(apart.map((each) => [each.operations[0]!.path.toLowerCase(), each]));
    const bad = [...unlike.values()];
    expect(bad.length).toBeGreaterThan(40);
    const staged = await stage([GOOD[0]!, ...bad.flatMap((each) => each.operations), GOOD[1]!]);
    expect(staged.kind).toBe('rejected');
    if (staged.kind !== 'rejected') return;
    const told = new Set(staged.problems.map(({ path }) => path));
    const silent = bad.filter(({ operations }) => !told.has(operations[0]!.path));
    expect(silent.map(({ name }) => name)).toEqual([]);
    expect(told.has('src/good.ts')).toBe(false);
    expect(picture(world, { withState: true })).toEqual(before);
  });

  it('does not get past a staging that was not asked: what is written is checked again', async () => {
    verifies('artifact.path.symlink');
    const before = picture(world);
    const change = (path: string, was: string | null): FileChange => ({
      path,
      before: was === null ? null : Buffer.from(was),
      after: Buffer.from('evil\n'),
      mode: 0o644,
    });
    const good = change('src/good.ts', null);
    for (const bad of [
      change('src/out/evil.ts', null),
      change('src/out/secret.ts', 'outside\n'),
      change('src/canary-link.ts', 'outside\n'),
      change('src/hard.ts', 'outside\n'),
      change('src/dangling.ts', null),
      change('src/b.ts/x.ts', null),
    ]) {
      const place = { ...placeIn(root), runId: 'run_1', streamId: 's', attempt: 1 };
      expect((await applyChanges(place, [good, bad])).kind).toBe('conflict');
      expect(openTransactions(root)).toEqual([]);
    }
    expect(picture(world).filter((line) => !line.includes('.millrace'))).toEqual(
      before.filter((line) => !line.includes('.millrace')),
    );
  });
});

describe('what a stream owns', () => {
  const allowed = async (path: string, ...owns: string[]) =>
    (await stage([create(path)], owns)).kind === 'staged';

  it('is where it may write', async () => {
    verifies('artifact.path.owns', 'stream.owns.conflicts');
    expect(await allowed('lib/x.ts')).toBe(true);
    expect(await allowed('lib/x.ts', 'src/**', 'lib/')).toBe(true);
    expect(await allowed('lib/deep/x.ts', 'lib')).toBe(true);
    expect(await allowed('Makefile', 'Makefile')).toBe(true);
    expect(await allowed('lib/x.ts', 'lib/*.{ts,tsx}')).toBe(true);
    expect(await allowed('lib/deep/x.ts', 'lib/*.ts')).toBe(false);
    expect(await allowed('app/[id]/page.tsx', 'app/[id]/page.tsx')).toBe(true);
    expect(await allowed('app/[id]/page.tsx', './app/[id]/')).toBe(true);
  });

  it('opens a protected place only when it names it', async () => {
    expect(await allowed('.github/workflows/ci.yml', '.github/workflows/')).toBe(true);
    expect(await allowed('.github/workflows/ci.yml', '.github/workflows/*.yml')).toBe(true);
    expect(await allowed('.husky/pre-commit', '.husky/**')).toBe(true);
    expect(await allowed('.env.example', '.env.example')).toBe(true);
    expect(await allowed('.env.example', '.env*')).toBe(true);
    expect(await allowed('packages/a/.npmrc', 'packages/a/.npmrc')).toBe(true);
    expect(await allowed('packages/a/.npmrc', 'packages/a/')).toBe(false);
    expect(await allowed('packages/a/.npmrc', 'packages/*/.npmrc')).toBe(false);
    expect(await allowed('.env.example', '*')).toBe(false);
  });
});

describe('ten thousand hostile paths', () => {
  const names = [
    '.. . src out a.ts ~ home .git CON x canary-link.ts C: \\ ..\\ %2e%2e hard.ts loop-a é ‥ ．．',
    'project-twin other secret.ts .millrace folder.ts pipe canary.txt .env \0 \u202e',
  ];
  const piece = fc.constantFrom('', ' ', ...names.join(' ').split(' '));
  const path = fc.oneof(
    fc.array(piece, { minLength: 1, maxLength: 7 }).map((parts) => parts.join('/')),
    fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('')}`),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    path.map((each) => create(each)),
    path.map((each) => edit(each, 'outside')),
    path.map((each): Operation => ({ type: 'edit', path: each, content: 'evil' })),
    path.map(remove),
  );

  it('change nothing outside of the project, and nothing of git', async () => {
    verifies('artifact.path.symlink', 'artifact.path.git');
    const inside = join('home', 'project');
    const outside = () =>
      picture(world).filter((line) => !line.startsWith(inside) || line.includes('/.git'));
    const before = outside();
    const operations = fc.sample(operation, { numRuns: 10_000, seed: 42 });
    let applied = 0;
    for (const [i, each] of operations.entries()) {
      const staged = await stage([each]);
      if (staged.kind !== 'staged') continue;
      const place = { ...placeIn(root), runId: 'run_1', streamId: `s${i}`, attempt: 1 };
      if ((await applyChanges(place, staged.changes)).kind === 'applied') applied += 1;
    }
    // Some of them are fine, or nothing would be shown.
    expect(applied).toBeGreaterThan(20);
    expect(outside()).toEqual(before);
  });
});
