import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSnapshots } from '../../src/project/snapshots.ts';
import type { Snapshots } from '../../src/project/snapshots.ts';
import { isUnchanged, stampOf } from '../../src/platform/file-stamp.ts';
import { effort } from '../support/effort.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-snapshots-')));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

const names = (list: string[]) => list.map((name) => `import '${name}';`).join('\n');
const SCRIPTS = [
  '',
  names(['./a', './b', '../a.js', './index']),
  names(['./a.js', '@/a', '@/b', 'exact', 'some-package']),
  names(['.', '..', 'w', 'w/src/main', '#inner']),
  names(['./link/a', '../lib', './a.js?raw', 'lib/a', 'star-a']),
  names(['./link', '@/index', '@part']),
];
const [EMPTY = '', BESIDE = '', ALIASED = '', INSTALLED = '', STARRED = '', BY_FOLDER = ''] =
  SCRIPTS;
const paths = (target: string, more = '') =>
  `{"compilerOptions":{"paths":{"@/*":["./${target}/*"],"exact":["./lib/b.ts"]${more}}}}`;
const EXTENDING = '{"extends":"./base.json"}';
const WITH_STAR = paths('lib', ',"star-*":["./gen/*"]');
/** Few files that stand in each other's way as much as possible, with what each can hold. */
const UNIVERSE: [files: string[], texts: string[]][] = [
  [
    ['a.ts', 'a.js', 'a/index.ts', 'b.ts', 'index.ts', 'src/a.ts', 'src/a.d.ts', 'src/b/index.ts'],
    SCRIPTS,
  ],
  [
    ['src/b.tsx', 'src/index.ts', 'lib/a.ts', 'lib/b.ts', 'lib/index.ts', 'gen/a.ts', 'gen/b.js'],
    SCRIPTS,
  ],
  [['packages/w/index.ts', 'packages/w/src/main.ts', 'packages/w/other.ts'], SCRIPTS],
  [
    ['app/m.py', 'app/__init__.py', 'app/n/__init__.py', 'n.py'],
    ['import n\n', 'from . import m'],
  ],
  [
    ['pkg/x.go', 'pkg/y.go', 'main.go'],
    ['', 'import "example.com/m/pkg"\n'],
  ],
  [
    ['css/_a.scss', 'css/a.scss', 'css/b.scss'],
    ['', "@use 'a';", "@import 'b';"],
  ],
  [
    ['java/x/A.java', 'other/x/A.java', 'B.java'],
    ['', 'import x.A;\nimport x.A.member;'],
  ],
  [
    ['.gitignore', 'src/.gitignore'],
    // Not a folder with links in it: those of an ignored folder are not watched.
    ['', 'gen/\n', 'a.ts\n', '*.js\n!b.js\n/gen\n'],
  ],
  [
    ['tsconfig.json', 'src/tsconfig.json'],
    [
      '{}',
      paths('src'),
      WITH_STAR,
      paths('lib', ',"@part":["./src"]'),
      EXTENDING,
      '{"compilerOptions":{"baseUrl":"."}}',
    ],
  ],
  [['base.json'], ['{}', paths('gen'), paths('lib')]],
  [
    ['package.json', 'packages/w/package.json'],
    [
      '{"name":"w"}',
      '{"name":"w","main":"./other.ts"}',
      '{"name":"w","exports":{".":"./index.ts","./src/*":"./src/*.ts"},"imports":{"#inner":"./b.ts"}}',
    ],
  ],
];
const FOLDERS = ['src', 'lib', 'gen', 'a', 'packages/w', 'src/b', 'app', 'pkg'];
const LINKS: [path: string, to: string][] = [
  ['link', 'lib'],
  ['src/link', '../lib'],
  ['src/link', '../gen'],
  ['node_modules/w', '../packages/w'],
  ['node_modules/w', '../lib'],
  ['lib/b.ts', '../b.ts'],
];
const FILES = UNIVERSE.flatMap(([files]) => files);

type Change =
  | { kind: 'write'; path: string; text: string }
  | { kind: 'remove'; path: string }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'link'; path: string; to: string }
  /** Somebody asked who needs no graph. */
  | { kind: 'snapshot' };

const write: fc.Arbitrary<Change> = fc.constantFrom(...UNIVERSE).chain(([files, texts]) =>
  fc.record({
    kind: fc.constant('write' as const),
    path: fc.constantFrom(...files),
    text: fc.constantFrom(...texts),
  }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: write, weight: 6 },
  fc.record({
    kind: fc.constant('remove' as const),
    path: fc.constantFrom(...FILES, ...FOLDERS, ...LINKS.map(([path]) => path)),
  }),
  fc.record({
    kind: fc.constant('rename' as const),
    path: fc.constantFrom(...FILES, ...FOLDERS),
    to: fc.constantFrom(...FILES, ...FOLDERS),
  }),
  fc.constantFrom(...LINKS).map(([path, to]) => ({ kind: 'link' as const, path, to })),
  fc.constant({ kind: 'snapshot' as const }),
);

const at = (path: string) => join(root, path);

function aboutOf(path: string) {
  try {
    return lstatSync(at(path));
  } catch {
    return undefined;
  }
}

/** Whatever stands in its way goes. */
function makeWay(path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const about = aboutOf(folder);
    if (about && !about.isDirectory()) rmSync(at(folder));
  }
  mkdirSync(dirname(at(path)), { recursive: true });
  rmSync(at(path), { recursive: true, force: true });
}

/** Each change gets a time of its own: the clock of a file system may be too coarse for that. */
let time = 1;
function touch(path: string): void {
  for (let each = path; ; each = dirname(each)) {
    const about = aboutOf(each);
    if (about && !about.isSymbolicLink()) utimesSync(at(each), time, time);
    if (each === '.') break;
  }
  time += 1;
}

async function apply(one: Change, snapshots: Snapshots): Promise<void> {
  if (one.kind === 'snapshot') {
    await snapshots.next({ withGraph: false });
    return;
  }
  if (one.kind === 'remove') rmSync(at(one.path), { recursive: true, force: true });
  else if (one.kind === 'rename') {
    const isPossible = aboutOf(one.path) !== undefined;
    if (!isPossible || `${one.to}/`.startsWith(`${one.path}/`)) return;
    if (`${one.path}/`.startsWith(`${one.to}/`)) return;
    makeWay(one.to);
    if (aboutOf(one.path)) renameSync(at(one.path), at(one.to));
    touch(one.to);
  } else {
    // An edit in place, where there is a file: nothing comes or goes.
    const about = aboutOf(one.path);
    if (one.kind !== 'write' || !about?.isFile()) makeWay(one.path);
    if (one.kind === 'write') writeFileSync(at(one.path), one.text);
    else symlinkSync(one.to, at(one.path));
  }
  touch(one.path);
}

async function seen(snapshots: Snapshots) {
  const { index, graph } = await snapshots.next({ withGraph: true });
  const { files } = index;
  return files.map((path) => ({
    path,
    imports: graph.imports.get(path),
    importers: graph.importers.get(path),
    beside: index.inFolder(dirname(path) === '.' ? '' : dirname(path)),
    sameName: index.endingWith(path.slice(path.lastIndexOf('/') + 1)),
  }));
}

async function expectSameAsFresh(changes: readonly Change[][]): Promise<void> {
  rmSync(root, { recursive: true });
  for (const entry of ['src', 'lib', 'gen', 'packages/w'])
    mkdirSync(at(entry), { recursive: true });
  writeFileSync(at('tsconfig.json'), paths('src'));
  const snapshots = createSnapshots(root);
  await seen(snapshots);
  for (const group of changes) {
    for (const one of group) await apply(one, snapshots);
    expect(await seen(snapshots)).toEqual(await seen(createSnapshots(root)));
  }
}

const writing = (path: string, text: string): Change[] => [{ kind: 'write', path, text }];
/** What chance would rarely make. */
const EXAMPLES: [Change[][]][] = [
  // A new file stands for the folder that a link leads to.
  [
    [
      [{ kind: 'link', path: 'src/link', to: '../lib' }],
      writing('src/a.ts', BY_FOLDER),
      writing('lib/index.ts', EMPTY),
    ],
  ],
  // A link leads to another folder than before, and its name is the same.
  [
    [
      [
        ...writing('lib/a.ts', EMPTY),
        ...writing('gen/a.ts', EMPTY),
        ...writing('src/b.tsx', STARRED),
      ],
      [{ kind: 'link', path: 'src/link', to: '../lib' }],
      [{ kind: 'link', path: 'src/link', to: '../gen' }],
    ],
  ],
  // It is ignored, and stands in the way of one that is not.
  [
    [
      [...writing('.gitignore', 'a.ts\n'), ...writing('a.js', EMPTY)],
      writing('b.ts', BESIDE),
      writing('a.ts', EMPTY),
    ],
  ],
  // The alias says nothing about the name of the folder.
  [[writing('lib/a.ts', BY_FOLDER), writing('src/index.ts', EMPTY)]],
  // What a configuration extends has any name.
  [
    [
      [...writing('base.json', paths('gen')), ...writing('tsconfig.json', EXTENDING)],
      [...writing('gen/a.ts', EMPTY), ...writing('lib/a.ts', EMPTY)],
      writing('b.ts', ALIASED),
      writing('base.json', paths('lib')),
    ],
  ],
  // The end of the name is not the end of the path.
  [[writing('tsconfig.json', WITH_STAR), writing('b.ts', STARRED), writing('gen/a.ts', EMPTY)]],
  // The folder was there before the file that stands for it.
  [[writing('src/a.ts', STARRED), writing('lib/index.ts', EMPTY)]],
  // A package of the workspace is installed, as a link, where nobody walks.
  [
    [
      [...writing('packages/w/index.ts', EMPTY), ...writing('a.ts', INSTALLED)],
      [{ kind: 'link', path: 'node_modules/w', to: '../packages/w' }],
    ],
  ],
];

const sequences = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 10 });
const RUNS = effort(40);

describe('a snapshot of the project', () => {
  it('finds after any changes what one who never looked before finds', async () => {
    // So late that the times of all files are old enough to be trusted.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    await fc.assert(fc.asyncProperty(sequences, expectSameAsFresh), {
      numRuns: RUNS,
      examples: EXAMPLES,
    });
  });

  it('finds it as well when the changes are too young for their times to be trusted', async () => {
    await fc.assert(fc.asyncProperty(sequences, expectSameAsFresh), {
      numRuns: Math.ceil(RUNS / 4),
    });
  });

  it('is shared by all who ask while another is under way, and sees what they have written', async () => {
    writeFileSync(at('first.ts'), '');
    const snapshots = createSnapshots(root);
    const found = [snapshots.next({ withGraph: false })];
    // The first has read the folder by now, and has more to do.
    await Promise.resolve();
    await Promise.resolve();
    for (let i = 0; i < 63; i++) {
      writeFileSync(at(`written-${i}.ts`), '');
      found.push(snapshots.next({ withGraph: i % 2 === 0 }));
    }
    const [first, ...others] = await Promise.all(found);
    expect(first!.index.has('first.ts')).toBe(true);
    expect(new Set(others).size).toBe(1);
    expect(others[0]!.index.files).toHaveLength(64);
    expect(others[0]!.graph.imports.get('written-62.ts')).toEqual([]);
  });

  it('trusts the times of a file only once its clock has moved on', () => {
    writeFileSync(at('a.ts'), 'a');
    const about = lstatSync(at('a.ts'));
    const changedAt = Math.max(about.mtimeMs, about.ctimeMs);
    expect(isUnchanged(stampOf(about, changedAt + 20), about)).toBe(false);
    expect(isUnchanged(stampOf(about, changedAt + 1000), about)).toBe(true);
  });
});
