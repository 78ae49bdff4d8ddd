// Processes of Linux as `/proc` lists them: a machine without a sandbox may be without `ps` as well.
import { readFileSync, readdirSync } from 'node:fs';
import type { ProcessRow } from '../in-place/processes.ts';

/** Pages of memory, and ticks of a second, as the kernel counts them on x64 and arm64. */
const PAGE = 4096;

function rowOf(pid: number, mark: string): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      startedAt: fields[19] ?? '',
      memoryBytes: Number(fields[21]) * PAGE,
      // Of itself, and of children that were waited for.
      ticks: [11, 12, 13, 14].reduce((sum, at) => sum + (Number(fields[at]) || 0), 0),
      isMarked: environment.includes(mark),
    };
  } catch {
    // It ended meanwhile, or is another user's.
    return undefined;
  }
}

/** `mark`: what the environment of ours has in it, also of those that left their group and their parent. */
export const listOfProc = (mark: string) => (): ProcessRow[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => rowOf(Number(name), mark) ?? []);
