// The file that says what a project is made of: its dependencies, its commands, its kind of modules.
import { folderOf } from './imports/project-index.ts';
import type { ProjectIndex } from './imports/project-index.ts';

const NAMES = [
  'package.json',
  'pyproject.toml',
  'requirements.txt',
  'go.mod',
  'Cargo.toml',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'composer.json',
  'Gemfile',
];
const MAX_FILES = 3;

/** Those nearest above each of these files. */
export function packageFiles(near: readonly string[], index: ProjectIndex): string[] {
  const found = new Set<string>();
  const asked = new Set<string>();
  for (const path of near.length > 0 ? near : ['']) {
    for (let folder = folderOf(path); ; folder = folderOf(folder)) {
      if (asked.has(folder)) break;
      asked.add(folder);
      const prefix = folder === '' ? '' : `${folder}/`;
      const here = NAMES.map((name) => prefix + name).filter((one) => index.has(one));
      for (const one of here) found.add(one);
      if (folder === '' || here.length > 0) break;
    }
    if (found.size >= MAX_FILES) break;
  }
  return [...found].slice(0, MAX_FILES);
}

const FIELDS = [
  'name',
  'type',
  'main',
  'exports',
  'bin',
  'engines',
  'scripts',
  'workspaces',
  'dependencies',
  'devDependencies',
  'peerDependencies',
];

/** What matters of a package.json that is too long to show. */
export function outlineOfPackage(text: string): string[] {
  try {
    const all = JSON.parse(text) as Record<string, unknown>;
    const kept = FIELDS.flatMap((name) => (name in all ? [[name, all[name]]] : []));
    return kept.length === 0 ? [] : [JSON.stringify(Object.fromEntries(kept), null, 2)];
  } catch {
    // Not JSON, or no object.
    return [];
  }
}
