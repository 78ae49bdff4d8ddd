// The rules of one .gitignore, kept until its text changes: they remember what they said about paths.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { isUnchanged, stampOf } from '../platform/file-stamp.ts';
import type { Stamp } from '../platform/file-stamp.ts';

export interface Rules {
  /** Relative to this folder, with a slash at its end, or empty for the root. */
  folder: string;
  rules: Ignore;
}

export interface IgnoreFile {
  text: string;
  stamp: Stamp;
  own: Rules;
}

/** The same object as before when nothing changed. */
export function readIgnoreFile(
  root: string,
  folder: string,
  known: IgnoreFile | undefined,
): IgnoreFile | undefined {
  const path = join(root, folder, '.gitignore');
  try {
    const lookedAt = Date.now();
    const about = lstatSync(path);
    if (known && isUnchanged(known.stamp, about)) return known;
    const text = readFileSync(path, 'utf8');
    const stamp = stampOf(about, lookedAt);
    if (known?.text === text) return Object.assign(known, { stamp });
    return { text, stamp, own: { folder, rules: ignore().add(text) } };
  } catch {
    // Gone since the folder was read, or not for us to read: it says nothing.
    return undefined;
  }
}

/** The nearest .gitignore that says something about it decides. */
export function isIgnored(stack: readonly Rules[], path: string): boolean {
  for (let at = stack.length - 1; at >= 0; at--) {
    const { folder, rules } = stack[at]!;
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
