// What can be told about a project from the files in its folder.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface ProjectScan {
  name: string;
  /** Commands that check the project, most telling first. */
  verify: string[];
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

function scriptsOf(folder: string): Record<string, unknown> | undefined {
  try {
    const text = readFileSync(join(folder, 'package.json'), 'utf8');
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return typeof scripts === 'object' ? scripts : {};
  } catch {
    return undefined;
  }
}

function packageManager(folder: string): string {
  if (existsSync(join(folder, 'pnpm-lock.yaml'))) return 'pnpm';
  if (existsSync(join(folder, 'yarn.lock'))) return 'yarn';
  return existsSync(join(folder, 'bun.lock')) ? 'bun' : 'npm';
}

function nodeCommands(folder: string): string[] {
  const scripts = scriptsOf(folder);
  if (scripts === undefined) return [];
  const manager = packageManager(folder);
  const commands: string[] = [];
  const { test } = scripts;
  // `bun test` is bun's own runner, not the script.
  if (typeof test === 'string' && !NO_TEST.test(test)) {
    commands.push(manager === 'bun' ? 'bun run test' : `${manager} test`);
  }
  if (existsSync(join(folder, 'tsconfig.json'))) commands.push('npx tsc --noEmit');
  if (typeof scripts['lint'] === 'string') commands.push(`${manager} run lint`);
  return commands;
}

function otherCommands(folder: string): string[] {
  const has = (name: string) => existsSync(join(folder, name));
  const commands: string[] = [];
  if (has('pyproject.toml') || has('pytest.ini')) commands.push('pytest');
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

export function scanProject(folder: string): ProjectScan {
  return {
    name: basename(folder) || 'project',
    verify: [...nodeCommands(folder), ...otherCommands(folder)],
    sources: foldersOf(folder, SOURCE_FOLDERS),
    tests: foldersOf(folder, TEST_FOLDERS),
    docs: foldersOf(folder, DOC_FOLDERS),
  };
}
