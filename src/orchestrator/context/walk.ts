// The files of a project, as its version control would list them: without what .gitignore leaves
// out, without dependencies, and without a way out through a symbolic link.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { checkPath } from '../../domain/artifact/check-path.ts';
import { SKIPPED_FOLDERS } from './never-shown.ts';

/** A project with more files than this is seen in part; deeper folders come last. */
const MAX_FILES = 50_000;

interface Rules {
  /** Relative to this folder, with a slash at its end, or empty for the root. */
  folder: string;
  rules: Ignore;
}

async function rulesOf(root: string, folder: string): Promise<Rules | undefined> {
  const text = await readFile(join(root, folder, '.gitignore'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : { folder, rules: ignore().add(text) };
}

/** The nearest .gitignore that says something about it decides. */
function isIgnored(stack: readonly Rules[], path: string): boolean {
  for (let at = stack.length - 1; at >= 0; at--) {
    const { folder, rules } = stack[at]!;
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** Sorted paths relative to the root, with `/`. */
export async function listFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  let level: { folder: string; stack: readonly Rules[] }[] = [{ folder: '', stack: [] }];

  async function visit({ folder, stack }: { folder: string; stack: readonly Rules[] }) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    const own = entries.some((entry) => entry.name === '.gitignore' && entry.isFile())
      ? await rulesOf(root, folder)
      : undefined;
    const rules = own === undefined ? stack : [...stack, own];
    const below: typeof level = [];
    for (const entry of entries) {
      const path = folder + entry.name;
      if (entry.isDirectory()) {
        if (SKIPPED_FOLDERS.has(entry.name) || isIgnored(rules, `${path}/`)) continue;
        below.push({ folder: `${path}/`, stack: rules });
      } else if (entry.isFile() && checkPath(path) === undefined && !isIgnored(rules, path)) {
        files.push(path);
      }
    }
    return below;
  }

  while (level.length > 0 && files.length < MAX_FILES) {
    const next: typeof level = [];
    for (let at = 0; at < level.length; at += 32) {
      const found = await Promise.all(level.slice(at, at + 32).map(visit));
      next.push(...found.flat());
    }
    level = next;
  }
  return files.sort().slice(0, MAX_FILES);
}
