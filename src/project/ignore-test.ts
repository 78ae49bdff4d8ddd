// Whether the project's own rules leave a path out, also one that is not there.
import { isIgnored, readIgnoreFile } from './ignore-file.ts';
import type { Rules } from './ignore-file.ts';

export function createIgnoreTest(root: string): (path: string) => boolean {
  const own = new Map<string, Rules | undefined>();
  const rulesOf = (folder: string) => {
    if (!own.has(folder)) own.set(folder, readIgnoreFile(root, folder, undefined)?.own);
    return own.get(folder);
  };
  return (path) => {
    const parts = path.split('/');
    const stack: Rules[] = [];
    // A file in an ignored folder is ignored, whatever a rule below it says.
    for (let at = 0; at < parts.length; at++) {
      const folder = parts
        .slice(0, at)
        .map((part) => `${part}/`)
        .join('');
      const rules = rulesOf(folder);
      if (rules !== undefined) stack.push(rules);
      const isFolder = at < parts.length - 1;
      if (isIgnored(stack, folder + parts[at]! + (isFolder ? '/' : ''))) return true;
    }
    return false;
  };
}
