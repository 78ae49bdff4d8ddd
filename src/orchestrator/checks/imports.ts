// Imports of files that are not there, in scripts that an answer writes. Only those that the answer
// itself adds are looked at, and only names of files: which packages are installed is for the
// project's own commands to say.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from '../apply/file-change.ts';
import { scanScript } from '../../project/imports/javascript.ts';
import { SCRIPT } from './syntax.ts';

const ENDINGS = ['ts', 'tsx', 'd.ts', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'json', 'node'];
const OTHER_ENDINGS = ['vue', 'svelte', 'astro'];
/** A name in the form of the output stands for the source it is made from. */
const SOURCES: Record<string, readonly string[]> = {
  js: ['ts', 'tsx', 'd.ts', 'jsx'],
  jsx: ['tsx'],
  mjs: ['mts', 'd.mts'],
  cjs: ['cts', 'd.cts'],
};
/** Made by a build, or not a script at all: whether it is there now says nothing. */
const NOT_JUDGED = /[?#!*]|(?:^|\/)(?:dist|build|out|lib|generated|gen|\.[^/.][^/]*)\/|\+types\//;

/** A file that an import can mean, by what the name says and leaves out. */
function candidatesOf(path: string): string[] {
  const ending = /\.([cm]?jsx?)$/.exec(path)?.[1];
  const stem = ending === undefined ? path : path.slice(0, -(ending.length + 1));
  const sources = ending === undefined ? [] : SOURCES[ending]!.map((each) => `${stem}.${each}`);
  const endings = [...ENDINGS, ...OTHER_ENDINGS];
  return [
    path,
    ...sources,
    ...endings.map((each) => `${path}.${each}`),
    ...endings.map((each) => `${path}/index.${each}`),
    `${path}/package.json`,
  ];
}

function relativeNames(path: string, bytes: Buffer | null): Set<string> {
  if (bytes === null) return new Set();
  return new Set(scanScript(bytes.toString('utf8'), path).filter((name) => /^\.\.?\//.test(name)));
}

export function importProblems(
  root: string,
  changes: readonly FileChange[],
  /** Of files that another stream is going to write. */
  isExpected: (path: string) => boolean,
): ApplyProblem[] {
  const staged = new Map(changes.map(({ path, after }) => [path, after !== null]));
  const isThere = (path: string) => staged.get(path) ?? existsSync(join(root, path));
  return changes.flatMap(({ path, before, after }) => {
    if (!SCRIPT.test(path) || after === null) return [];
    const known = relativeNames(path, before);
    const missing = [...relativeNames(path, after)].filter((name) => {
      if (known.has(name) || NOT_JUDGED.test(name.replace(/^(?:\.\.?\/)+/, ''))) return false;
      const target = posix.join(posix.dirname(path), name);
      if (target.startsWith('..')) return false;
      const candidates = candidatesOf(target);
      return !candidates.some((each) => isThere(each) || isExpected(each));
    });
    if (missing.length === 0) return [];
    const names = missing
      .slice(0, 5)
      .map((name) => `"${name}"`)
      .join(', ');
    const message = `It imports ${names}, and there is no such file.`;
    return [{ path, code: 'IMPORT', message }];
  });
}
