// What can be learned about a project from the files in its folder.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { firstWordOf, missingPrograms } from './find-programs.ts';
import { createWalker } from './walk.ts';

/** Of a project that has no sources yet. */
export const EVERYTHING = '**';

export interface ProjectScan {
  name: string;
  /** Commands that check the project and can be run here, most telling first. */
  verify: string[];
  /** Commands that would check it, whose programs are not on this machine. */
  notHere: string[];
  /** The command that installs what the package file names; undefined where there is nothing to install, or nothing to do it. */
  install: string | undefined;
  /** What it installs is here. */
  isInstalled: boolean;
  /** What the package file names, with the command that runs each. */
  scripts: { command: string; runs: string }[];
  /** Of the sources, most of them first. */
  languages: string[];
  /** An entry for `owns`: where the sources are, or everything. */
  owned: string;
  /** Folders with sources, tests and documents, as far as there are any; with a slash at the end. */
  sources: string[];
  tests: string[];
  docs: string[];
}

const SOURCE_FOLDERS = ['src', 'lib', 'app', 'pkg', 'cmd', 'internal', 'server', 'packages'];
const TEST_FOLDERS = ['test', 'tests', 'spec', '__tests__', 'e2e'];
const DOC_FOLDERS = ['docs', 'doc'];
/** What `npm init` writes when there is no test. */
const NO_TEST = /no test specified/;

function packageOf(folder: string): Package | undefined {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { scripts, packageManager, dependencies, devDependencies } = JSON.parse(text) as Record<
      string,
      Record<string, unknown> | undefined
    >;
    const needed = { ...dependencies, ...devDependencies };
    const usesTypeScript =
      'typescript' in needed || existsSync(join(folder, 'node_modules/.bin/tsc'));
    const needsPackages = Object.keys(needed).length > 0;
    return {
      scripts: typeof scripts === 'object' ? scripts : {},
      packageManager,
      usesTypeScript,
      needsPackages,
    };
  } catch {
    return undefined;
  }
}

interface Package {
  scripts: Record<string, unknown>;
  packageManager: unknown;
  usesTypeScript: boolean;
  needsPackages: boolean;
}

const MANAGERS = ['pnpm', 'yarn', 'bun', 'npm'] as const;
type Manager = (typeof MANAGERS)[number];

const LOCKS: Record<Manager, readonly string[]> = {
  pnpm: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
  npm: ['package-lock.json'],
};

/** How each runs a program of the project's own. */
const EXEC: Record<Manager, string> = {
  pnpm: 'pnpm exec',
  yarn: 'yarn run',
  bun: 'bunx',
  npm: 'npx',
};

function managerOf(folder: string, { packageManager }: Package): Manager {
  const named = typeof packageManager === 'string' ? packageManager : '';
  return (
    MANAGERS.find((manager) => named.startsWith(`${manager}@`)) ??
    MANAGERS.find((manager) => LOCKS[manager].some((lock) => existsSync(join(folder, lock)))) ??
    'npm'
  );
}

function nodeCommands(folder: string): string[] {
  const found = packageOf(folder);
  if (found === undefined) return [];
  const { scripts, usesTypeScript } = found;
  const manager = managerOf(folder, found);
  const commands: string[] = [];
  const { test } = scripts;
  // `bun test` is bun's own runner, not the script.
  if (typeof test === 'string' && !NO_TEST.test(test)) {
    commands.push(manager === 'bun' ? 'bun run test' : `${manager} test`);
  }
  // Without TypeScript in the project, npx would fetch a package that is called tsc.
  if (usesTypeScript && existsSync(join(folder, 'tsconfig.json'))) {
    commands.push(`${EXEC[manager]} tsc --noEmit`);
  }
  if (typeof scripts['lint'] === 'string') commands.push(`${manager} run lint`);
  return commands;
}

function installOf(folder: string): Pick<ProjectScan, 'install' | 'isInstalled'> {
  const found = packageOf(folder);
  if (found === undefined || !found.needsPackages) return { install: undefined, isInstalled: true };
  return {
    install: `${managerOf(folder, found)} install`,
    isInstalled: existsSync(join(folder, 'node_modules')),
  };
}

/** Run by the package manager around another one. */
const isHook = (name: string, scripts: object) =>
  /^(?:pre|post)/.test(name) && Object.hasOwn(scripts, name.replace(/^(?:pre|post)/, ''));

function scriptsOf(folder: string): ProjectScan['scripts'] {
  const found = packageOf(folder);
  if (found === undefined) return [];
  const manager = managerOf(folder, found);
  const { scripts } = found;
  return Object.entries(scripts).flatMap(([name, runs]) => {
    if (typeof runs !== 'string' || NO_TEST.test(runs) || isHook(name, scripts)) return [];
    const isPlainTest = name === 'test' && manager !== 'bun';
    return [{ command: isPlainTest ? `${manager} test` : `${manager} run ${name}`, runs }];
  });
}

const LANGUAGES: readonly (readonly [RegExp, string])[] = [
  [/\.[cm]?tsx?$/, 'TypeScript'],
  [/\.[cm]?jsx?$/, 'JavaScript'],
  [/\.py$/, 'Python'],
  [/\.go$/, 'Go'],
  [/\.rs$/, 'Rust'],
  [/\.java$/, 'Java'],
  [/\.kt$/, 'Kotlin'],
  [/\.rb$/, 'Ruby'],
  [/\.php$/, 'PHP'],
  [/\.cs$/, 'C#'],
  [/\.swift$/, 'Swift'],
  [/\.(?:cc|cpp)$/, 'C++'],
  [/\.c$/, 'C'],
  [/\.ex$/, 'Elixir'],
  [/\.vue$/, 'Vue'],
  [/\.svelte$/, 'Svelte'],
];
/** One file of a tool does not make a language of the project. */
const LEAST_SHARE = 0.1;

async function languagesOf(folder: string): Promise<string[]> {
  const { listing } = await createWalker(folder).walk();
  const found = listing.files.flatMap(
    (path) => LANGUAGES.find(([ending]) => ending.test(path))?.[1] ?? [],
  );
  const counts = [...Map.groupBy(found, (name) => name)].map(
    ([name, files]) => [name, files.length] as const,
  );
  return counts
    .filter(([, count]) => count >= found.length * LEAST_SHARE)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}

/** Files that name pytest where a project uses it. */
const PYTHON_FILES = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements-dev.txt', 'Pipfile'];

function textOf(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return '';
  }
}

function pythonCommands(folder: string): string[] {
  const has = (...names: string[]) => names.some((name) => existsSync(join(folder, name)));
  if (!has('pyproject.toml', 'pytest.ini', 'setup.py', 'setup.cfg', 'requirements.txt')) return [];
  const usesPytest =
    has('pytest.ini', 'conftest.py', 'tests/conftest.py') ||
    [...PYTHON_FILES, 'requirements.txt'].some((name) => /\bpytest\b/.test(textOf(folder, name)));
  if (!usesPytest) return [];
  const pyproject = textOf(folder, 'pyproject.toml');
  if (has('uv.lock') || /^\[tool\.uv\b/m.test(pyproject)) return ['uv run pytest'];
  if (has('poetry.lock') || /^\[tool\.poetry\b/m.test(pyproject)) return ['poetry run pytest'];
  if (has('pdm.lock')) return ['pdm run pytest'];
  return has('Pipfile') ? ['pipenv run pytest'] : ['pytest'];
}

function otherCommands(folder: string): string[] {
  const has = (name: string) => existsSync(join(folder, name));
  const commands = pythonCommands(folder);
  if (has('go.mod')) commands.push('go test ./...');
  if (has('Cargo.toml')) commands.push('cargo test');
  return commands;
}

function foldersOf(folder: string, names: readonly string[]): string[] {
  const present = new Set(readdirSync(folder));
  return names
    .filter((name) => present.has(name) && statSync(join(folder, name)).isDirectory())
    .map((name) => `${name}/`);
}

const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|swift|c|cc|cpp|h|ex|vue|svelte)$/;
/** Of the project's tools, or made by them. */
const NO_SOURCES = /^(?:\.|node_modules$|vendor$|dist$|build$|target$|out$|venv$|__pycache__$)/;

/** The ending that most of the files directly in the folder have, as `.py`. */
function usualEnding(folder: string): string | undefined {
  const endings = readdirSync(folder).flatMap((name) => SOURCE.exec(name)?.[0] ?? []);
  const groups = [...Map.groupBy(endings, (ending) => ending).values()];
  return groups.sort((a, b) => b.length - a.length)[0]?.[0];
}

function findSources(folder: string): string[] {
  const usual = foldersOf(folder, SOURCE_FOLDERS);
  if (usual.length > 0) return usual;
  const others = readdirSync(folder).filter(
    (name) => !NO_SOURCES.test(name) && ![...TEST_FOLDERS, ...DOC_FOLDERS].includes(name),
  );
  return foldersOf(folder, others.sort()).filter((name) => {
    try {
      return usualEnding(join(folder, name)) !== undefined;
    } catch {
      return false;
    }
  });
}

export async function scanProject(folder: string, env: NodeJS.ProcessEnv): Promise<ProjectScan> {
  const commands = [...nodeCommands(folder), ...otherCommands(folder)];
  const { install, isInstalled } = installOf(folder);
  const all = install === undefined ? commands : [...commands, install];
  const missing = await missingPrograms(all, { root: folder, env });
  const isHere = (command: string) => !missing.has(firstWordOf(command) ?? '');
  const sources = findSources(folder);
  const ending = usualEnding(folder);
  return {
    name: basename(folder) || 'project',
    verify: commands.filter(isHere),
    notHere: commands.filter((command) => !isHere(command)),
    install: install !== undefined && isHere(install) ? install : undefined,
    isInstalled,
    scripts: scriptsOf(folder),
    languages: await languagesOf(folder),
    owned: sources[0] ?? (ending === undefined ? EVERYTHING : `*${ending}`),
    sources,
    tests: foldersOf(folder, TEST_FOLDERS),
    docs: foldersOf(folder, DOC_FOLDERS),
  };
}
