// The processes that a server consists of.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** By what they are, such as `all 1` and `all 2`. */
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
  return new Map(named.filter(([name]) => /^(all|api|worker) \d+$/.test(name)));
}

/** Whether a process has a connection from this local port. */
export function hasPort(pid: number, port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const inodes = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local]) => local?.endsWith(`:${hex}`))
    .map((fields) => `socket:[${fields[9]}]`);
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return open.some((target) => inodes.includes(target));
}
