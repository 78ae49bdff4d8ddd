// Files that belong to another one by their name: its tests, its types, its documentation.
import { folderOf } from './imports/project-index.ts';
import type { ProjectIndex } from './imports/project-index.ts';

const SCRIPTS = ['ts', 'tsx', 'js', 'jsx', 'mts', 'mjs', 'cts', 'cjs'];
const SCRIPT_LIKE: ReadonlySet<string> = new Set([...SCRIPTS, 'vue', 'svelte']);

/** Names of tests by the ending of what they test; `*` stands for its name. */
const TESTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['py', ['test_*.py', '*_test.py']],
  ['go', ['*_test.go']],
  ['rs', ['*_test.rs']],
  ['java', ['*Test.java', '*Tests.java', '*IT.java']],
  ['kt', ['*Test.kt', '*Tests.kt']],
  ['rb', ['*_spec.rb', '*_test.rb', 'test_*.rb']],
  ['php', ['*Test.php']],
  ['c', ['*_test.c', 'test_*.c', '*.h']],
  ['cc', ['*_test.cc', '*.h']],
  ['cpp', ['*_test.cpp', 'test_*.cpp', '*.h', '*.hpp']],
]);
const SCRIPT_TESTS = SCRIPTS.flatMap((ending) => [`*.test.${ending}`, `*.spec.${ending}`]);
const TEST_FOLDERS = ['test', 'tests', '__tests__', 'spec'];

/** With more of one name, those are meant that are at the same place among the tests. */
const FEW = 3;
const MAX_RELATED = 10;
/** A stream that owns more changes too much for its tests to fit. */
const MAX_OWNED = 20;

function namesOf(stem: string, ending: string): string[] {
  const patterns = SCRIPT_LIKE.has(ending) ? SCRIPT_TESTS : (TESTS.get(ending) ?? []);
  return [
    ...patterns.map((pattern) => pattern.replace('*', () => stem)),
    ...TEST_FOLDERS.map((folder) => `${folder}/${stem}.${ending}`),
  ];
}

/** How many folders two paths have in common at their ends, those of tests and sources left out. */
function mirrored(a: string, b: string): number {
  const isOwnName = (part: string) => !/^(?:src|lib|main|tests?|__tests__|spec|unit)$/.test(part);
  const left = folderOf(a).split('/').filter(isOwnName).toReversed();
  const right = folderOf(b).split('/').filter(isOwnName).toReversed();
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

function relatedTo(path: string, index: ProjectIndex): string[] {
  const folder = folderOf(path);
  const name = path.slice(folder === '' ? 0 : folder.length + 1);
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return [];
  const stem = name.slice(0, dot);
  const tests = new Set(namesOf(stem, name.slice(dot + 1)).flatMap((one) => index.endingWith(one)));
  const beside = [...tests].filter((one) => folderOf(one) === folder);
  const elsewhere = [...tests].filter((one) => folderOf(one) !== folder);
  const best = Math.max(0, ...elsewhere.map((one) => mirrored(one, path)));
  const meant =
    elsewhere.length <= FEW ? elsewhere : elsewhere.filter((one) => mirrored(one, path) === best);
  const inFolder = folder === '' ? '' : `${folder}/`;
  const documents = [
    `${inFolder}${stem}.d.ts`,
    `${inFolder}${stem}.types.ts`,
    `${inFolder}${stem}.md`,
    `docs/${stem}.md`,
  ].filter((one) => index.has(one));
  return [...beside, ...(meant.length <= FEW ? meant : []), ...documents];
}

export function relatedFiles(owned: readonly string[], index: ProjectIndex): string[] {
  const found = new Set(owned.slice(0, MAX_OWNED).flatMap((path) => relatedTo(path, index)));
  for (const path of owned) found.delete(path);
  return [...found].slice(0, MAX_RELATED);
}
