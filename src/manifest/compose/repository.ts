// What the rules know about the project. The caller reads the disk and fills in the facts; here they are
// only put in order, so that server, command line and tests compose alike.
import { patternsOverlap } from '../patterns/overlap.ts';
import { filePattern } from '../patterns/pattern.ts';
import type { Pattern } from '../patterns/pattern.ts';
import { patternsOf } from '../stream-graph.ts';

/** A command that says whether the project still works. */
export interface Check {
  command: string;
  /** The same for these test files alone; undefined when the runner cannot. Paths are plain: no quoting is needed. */
  narrow?(tests: readonly string[]): string | undefined;
}

export interface RepositoryFacts {
  /** What the user asked for, in their words. */
  task: string;
  /** Everything under version control. */
  files: Iterable<{ path: string; bytes: number }>;
  importsOf(path: string): readonly string[];
  importersOf(path: string): readonly string[];
  /** Why no stream may write this path (generated, secret, protected), a folder with a slash behind it; undefined when one may. */
  refusalOf(path: string): string | undefined;
  isTest(path: string): boolean;
  /** From package files: commands that prepare a checkout, and those that check it. */
  setup: readonly string[];
  /** What `setup` installs is there already: it is needed after a change of a package file only. */
  isSetUp: boolean;
  checks: readonly Check[];
  /** How long a stream that owns these takes; undefined when it is not known. Must not depend on their order. */
  estimateMs(owns: readonly string[]): number | undefined;
  /** How many bytes of files fit one answer. */
  answerBytes: number;
  /** Agents write as many files as they like, so their streams are never split. */
  isForAgents: boolean;
  /**
   * Only some of the project's files are known, most of them by their names alone. What is not among them may be there
   * all the same, so nothing is refused, and no stream is split or joined, for want of it; and what is listed may be a
   * folder.
   */
  isPartial: boolean;
  /** The rules make no more streams than this; a proposal may have more. */
  maxStreams: number;
}

export interface Repository extends Omit<RepositoryFacts, 'files'> {
  /** False for a project that has yet to begin: then new folders are welcome anywhere. */
  hasSources: boolean;
  paths: readonly string[];
  hasFile(path: string): boolean;
  hasFolder(path: string): boolean;
  bytesOf(path: string): number;
  /** As the project spells it, as far as it has it: `SRC/New.ts` is `src/New.ts` beside `src/a.ts`. */
  spelled(path: string): string;
  /** Files that an entry of `owns` or `reads` names today. */
  filesOf(entry: string): readonly string[];
  /** Whether the task has this name in it. */
  taskNames(name: string): boolean;
}

/** Spellings that some file systems take for one. */
export function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}

interface Folder {
  children: Map<string, Folder>;
  /** Names by their folded form. */
  byFold: Map<string, string[]>;
  isFile: boolean;
}

const newFolder = (isFile: boolean): Folder => ({
  children: new Map(),
  byFold: new Map(),
  isFile,
});

function insert(root: Folder, path: string): void {
  let node = root;
  const names = path.split('/');
  for (const [at, name] of names.entries()) {
    let child = node.children.get(name);
    if (child === undefined) {
      child = newFolder(at === names.length - 1);
      node.children.set(name, child);
      const fold = folded(name);
      node.byFold.set(fold, [...(node.byFold.get(fold) ?? []), name]);
    }
    node = child;
  }
}

function find(root: Folder, path: string): Folder | undefined {
  let node: Folder | undefined = root;
  for (const name of path.split('/')) node = node?.children.get(name);
  return node;
}

function spell(root: Folder, path: string): string {
  let node: Folder | undefined = root;
  return path
    .split('/')
    .map((name) => {
      if (node === undefined) return name.normalize('NFC');
      const known: readonly string[] = node.byFold.get(folded(name)) ?? [];
      // Two that differ by case alone: neither is more likely than the other.
      const meant = node.children.has(name) ? name : known.length === 1 ? known[0] : undefined;
      node = meant === undefined ? undefined : node.children.get(meant);
      return meant ?? name.normalize('NFC');
    })
    .join('/');
}

const NO_SOURCE =
  /(?:^|\/)(?:\.[^/]*|[^/.]*|[^/]*\.(?:md|txt|rst|adoc|json|ya?ml|toml|lock|ini|cfg|png|svg|jpe?g|gif|ico))$/i;

/** Where the first path is that does not come before this one. */
function firstFrom(paths: readonly string[], path: string): number {
  let [low, high] = [0, paths.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (paths[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function indexRepository(facts: RepositoryFacts): Repository {
  const { files, ...rest } = facts;
  const bytes = new Map<string, number>();
  for (const file of files) bytes.set(file.path, file.bytes);
  const paths = [...bytes.keys()].sort();
  const root = newFolder(false);
  for (const path of paths) insert(root, path);
  const named = new Set(
    facts.task
      .split(/[^\p{L}\p{N}_.@+-]+/u)
      .map((word) => folded(word.replace(/\.{1,3}$/, '')))
      .filter((word) => word !== ''),
  );
  const known = new Map<string, readonly string[]>();

  let filePatterns: Pattern[] | undefined;

  function match(entry: string): readonly string[] {
    if (bytes.has(entry)) return [entry];
    filePatterns ??= paths.map(filePattern);
    const found = new Set<number>();
    for (const pattern of patternsOf([entry])) {
      const prefix = pattern.parts.slice(0, pattern.literalCount).join('/');
      for (let at = firstFrom(paths, prefix); paths[at]?.startsWith(prefix); at++) {
        if (patternsOverlap(pattern, filePatterns[at]!)) found.add(at);
      }
    }
    return [...found].sort((a, b) => a - b).map((at) => paths[at]!);
  }

  return {
    ...rest,
    paths,
    hasSources: paths.some((path) => !NO_SOURCE.test(path)),
    hasFile: (path) => bytes.has(path),
    hasFolder: (path) => path === '' || find(root, path)?.isFile === false,
    bytesOf: (path) => bytes.get(path) ?? 0,
    spelled: (path) => spell(root, path),
    filesOf(entry) {
      let found = known.get(entry);
      if (found === undefined) known.set(entry, (found = match(entry)));
      return found;
    },
    taskNames: (name) => named.has(folded(name)),
  };
}
