// Files that many others depend on, so that most features touch them: package files by their names; indexes,
// types, route tables and migrations by their names and by how many files import them.
import type { Repository } from './repository.ts';

export type HubKind = 'package' | 'types' | 'index' | 'routes' | 'migrations';

const MANY_IMPORTERS = 5;

const PACKAGE_FILES: ReadonlySet<string> = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.json',
  'deno.lock',
  'pyproject.toml',
  'requirements.txt',
  'setup.py',
  'setup.cfg',
  'pipfile',
  'pipfile.lock',
  'poetry.lock',
  'uv.lock',
  'go.mod',
  'go.sum',
  'go.work',
  'cargo.toml',
  'cargo.lock',
  'gemfile',
  'gemfile.lock',
  'composer.json',
  'composer.lock',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'mix.exs',
  'mix.lock',
]);

/** What a package manager installs by. */
export const isPackageFile = (path: string): boolean =>
  PACKAGE_FILES.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase());

const BY_LAST_WORD: ReadonlyMap<string, HubKind> = new Map([
  ['type', 'types'],
  ['types', 'types'],
  ['d', 'types'],
  ['index', 'index'],
  ['mod', 'index'],
  ['lib', 'index'],
  ['__init__', 'index'],
  ['route', 'routes'],
  ['routes', 'routes'],
  ['router', 'routes'],
  ['routing', 'routes'],
  ['urls', 'routes'],
  ['migration', 'migrations'],
  ['migrations', 'migrations'],
]);

/** `book.types.ts` and `book-routes.ts` say what they are in the last word before their ending. */
function kindByName(parts: readonly string[]): HubKind | undefined {
  if (parts.slice(0, -1).some((part) => part === 'migrations' || part === 'migration')) {
    return 'migrations';
  }
  const name = parts.at(-1)!;
  const stem = name.slice(0, Math.max(0, name.lastIndexOf('.')));
  return BY_LAST_WORD.get(stem) ?? BY_LAST_WORD.get(stem.split(/[._-]/).at(-1)!);
}

export function hubKindOf(path: string, repository: Repository): HubKind | undefined {
  const parts = path.toLowerCase().split('/');
  if (PACKAGE_FILES.has(parts.at(-1)!)) return 'package';
  const kind = kindByName(parts);
  if (kind === undefined) return undefined;
  return repository.importersOf(path).length >= MANY_IMPORTERS ? kind : undefined;
}

/** Hubs of the project that a stream may write. */
export function hubsOf(repository: Repository): string[] {
  return repository.paths.filter(
    (path) => hubKindOf(path, repository) !== undefined && repository.refusalOf(path) === undefined,
  );
}
