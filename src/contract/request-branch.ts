// Names of branches that run requests may ask for. Without the schemas: pages check what is typed.

/** Nothing of git's own syntax, and no part that a file system or a shell takes otherwise. */
export function isRequestBranch(name: string): boolean {
  const [first, ...parts] = name.split('/');
  const isPart = (part: string) =>
    /^[a-z0-9][a-z0-9._-]*$/.test(part) &&
    !part.includes('..') &&
    !part.endsWith('.lock') &&
    !part.endsWith('.') &&
    !part.endsWith('-');
  return first === 'millrace' && parts.length > 0 && parts.every(isPart);
}
