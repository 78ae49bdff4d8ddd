// The processes that a server consists of.
import { readFileSync } from 'node:fs';

/** By what they are, such as `api 1` and `worker 1`. */
export function processesOf(supervisor: number): Map<string, number> {
  const children = readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8');
  const named = children
    .trim()
    .split(' ')
    .map((pid) => {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return [words.slice(-3, -1).join(' '), Number(pid)] as const;
    });
  // The embedded database is one of its children, too.
  return new Map(named.filter(([name]) => /^(api|worker) \d+$/.test(name)));
}
