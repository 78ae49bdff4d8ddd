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

const BY_NAME: readonly [HubKind, RegExp][] = [
  ['migrations', /(?:^|\/)migrations?(?:\/|\.[^/]+$)/],
  ['routes', /(?:^|[/._-])(?:routes?|router|routing|urls)\.[^/]+$/],
  ['types', /(?:^|[/._-])types?\.[^/]+$|\.d\.ts$/],
  ['index', /(?:^|\/)(?:index\.[^/]+|mod\.rs|lib\.rs|__init__\.py)$/],
];

export function hubKindOf(path: string, repository: Repository): HubKind | undefined {
  const lower = path.toLowerCase();
  if (PACKAGE_FILES.has(lower.slice(lower.lastIndexOf('/') + 1))) return 'package';
  const kind = BY_NAME.find(([, shape]) => shape.test(lower))?.[0];
  if (kind === undefined) return undefined;
  return repository.importersOf(path).length >= MANY_IMPORTERS ? kind : undefined;
}

/** Hubs of the project that a stream may write. */
export function hubsOf(repository: Repository): string[] {
  return repository.paths.filter(
    (path) => hubKindOf(path, repository) !== undefined && repository.refusalOf(path) === undefined,
  );
}
