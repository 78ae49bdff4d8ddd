// What the processes of a sandbox use, seen from outside. Its first process has all others below it: in a
// process namespace an orphan falls to the first one, so none can leave.
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { Usage } from '../watch.ts';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The parent of each process, where the kernel keeps no list of children. */
function childrenByScan(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of list('/proc')) {
    const stat = Number(name) > 0 ? read(`/proc/${name}/stat`) : '';
    // The name of the program is in brackets and may hold anything.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

const keepsChildren = (pid: number) => list(`/proc/${pid}/task/${pid}`).includes('children');

/** All below a process, in no order; not the process itself. */
export function processesBelow(pid: number): number[] {
  const scanned = keepsChildren(process.pid) ? undefined : childrenByScan();
  const found: number[] = [];
  const rest = [pid];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const parent = next;
    const children =
      scanned?.get(parent) ??
      list(`/proc/${parent}/task`).flatMap((task) =>
        read(`/proc/${parent}/task/${task}/children`)
          .split(' ')
          .flatMap((child) => (child === '' ? [] : [Number(child)])),
      );
    found.push(...children);
    rest.push(...children);
  }
  return found;
}

/** A line of /proc/PID/status; in KiB where it is memory. */
function field(status: string, name: string): number {
  const at = status.indexOf(`\n${name}:`);
  return at < 0 ? 0 : Number.parseInt(status.slice(at + name.length + 2), 10);
}

/** Memory of their own. What processes share would count for each of them: its size has a limit of its own. */
export function usageBelow(pid: number): Usage {
  let processes = 0;
  let memoryBytes = 0;
  for (const one of processesBelow(pid)) {
    const status = read(`/proc/${one}/status`);
    processes += field(status, 'Threads');
    memoryBytes += field(status, 'RssAnon') * 1024;
  }
  return { processes, memoryBytes };
}

/** Time of the processor that the processes below have used, in ticks of the kernel; of those that have ended, too. */
export function ticksBelow(pid: number): number {
  return processesBelow(pid).reduce((sum, one) => {
    const stat = read(`/proc/${one}/stat`);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and the same of children that were waited for.
    return sum + [11, 12, 13, 14].reduce((own, at) => own + (Number(fields[at]) || 0), 0);
  }, 0);
}

/** Files that are open but in no folder any more still take up their space. */
export function deletedBytes(pid: number): number {
  const seen = new Map<string, number>();
  for (const one of processesBelow(pid)) {
    for (const name of list(`/proc/${one}/fd`)) {
      const path = `/proc/${one}/fd/${name}`;
      try {
        if (!readlinkSync(path).endsWith(' (deleted)')) continue;
        const { dev, ino, nlink, blocks } = statSync(path);
        if (nlink === 0) seen.set(`${dev}:${ino}`, blocks * 512);
      } catch {
        // Closed meanwhile.
      }
    }
  }
  return [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
}
