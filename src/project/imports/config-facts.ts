// What files that steer the resolution of names (tsconfig.json, package.json) say about where names
// can lead, as far as it has to be known to tell which names a new file can matter to. They are read
// by the shape of their strings: half a file, comments and unknown fields do no harm.
import { dirname, isAbsolute, join, relative } from 'node:path';
import { ANY_INDEX, isForFolder, keyOfPath } from './change-key.ts';

export interface ConfigFacts {
  /** Keys of files that it names: any name can lead to them. */
  keys: ReadonlySet<string>;
  /** Its names lead to files that nothing in the name points to. */
  isOpen: boolean;
  /** Files that are a part of it, if they exist. */
  parts: readonly string[];
}

// A string that is not closed is taken as it is: to look again inside of it takes too long.
const STRING = /"((?:[^"\\\n]|\\.)*)(?:"(\s*:)?)?/g;
const PARTS = /"(?:extends|path)"\s*:\s*(\[[^\][]*\]|"[^"\n]*")/g;

/** `@lib-*` or `*-lib`: the star stands for a part of the last name only. */
function hasStarInName(text: string): boolean {
  return /[^/*@~#$]\*|\*[^/*.]/.test(text);
}

function keysOf(value: string, path: string, isTypeScript: boolean): string[] {
  const last = value.slice(value.lastIndexOf('/') + 1);
  // The rest of the name is the end of the path: its own key covers it.
  if (last.startsWith('*')) return [];
  if (!isForFolder(path)) return [keyOfPath(path)];
  // Below another folder: that of a star, or that which `baseUrl` says.
  const isElsewhere = /\*[^/*]*\/[^/]*$/.test(value) || (isTypeScript && !value.includes('/'));
  return isElsewhere ? [ANY_INDEX] : [keyOfPath(path)];
}

function partsOf(path: string, text: string): string[] {
  return [...text.matchAll(PARTS)].flatMap(([, list = '']) =>
    [...list.matchAll(STRING)].flatMap(([, name = '']) => {
      // Those of packages change with the packages.
      if (!name.startsWith('.') && !isAbsolute(name)) return [];
      const part = isAbsolute(name) ? name : join(dirname(path), name);
      return [part, `${part}.json`, join(part, 'tsconfig.json')];
    }),
  );
}

/** The path is absolute, the keys are of paths in the project. */
export function factsOf(root: string, path: string, text: string): ConfigFacts {
  const isTypeScript = !path.endsWith('package.json');
  const inProject = (value: string) =>
    relative(root, join(dirname(path), value)).replaceAll('\\', '/');
  // A package without a main file, or one whose main file is missing, has an index.
  const keys = new Set(isTypeScript ? [] : [keyOfPath(inProject('index'))]);
  let isOpen = isTypeScript && text.includes('"rootDirs"');
  for (const [, value = '', colon] of text.matchAll(STRING)) {
    const isPattern = isTypeScript || /^[.#]/.test(value);
    if (isPattern && value.includes('*') && hasStarInName(value)) isOpen = true;
    const isPath = isTypeScript || /[./]/.test(value);
    if (colon === undefined && isPath) {
      for (const key of keysOf(value, inProject(value), isTypeScript)) keys.add(key);
    }
  }
  return { keys, isOpen, parts: isTypeScript ? partsOf(path, text) : [] };
}
