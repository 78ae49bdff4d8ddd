// CPU time of whole trees of processes, by program, as Linux counts it.
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** The unit of /proc; the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  pid: number;
  parent: number;
  program: string;
  /** Its own, and that of its children that have ended. */
  ms: number;
}

function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // A name may contain anything, so fields are counted from the bracket after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
    return { pid, parent: Number(fields[1]), program, ms: (ticks * 1000) / TICKS_PER_SECOND };
  } catch {
    // It has ended; its time is with its parent now.
    return undefined;
  }
}

/** The program, whatever its processes write over their command lines. */
function kindOf(program: string): string {
  const [first = ''] = program.split(/[: ]/);
  return first.slice(first.lastIndexOf('/') + 1);
}

/** The processes `roots` and all below them. Empty on systems without /proc. */
function treeOf(roots: readonly number[]): ProcessTimes[] {
  if (!existsSync('/proc/self/stat')) return [];
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readTimes(Number(name)))
    .filter((times) => times !== undefined);
  const counted = new Set(roots);
  for (let before = -1; before !== counted.size;) {
    before = counted.size;
    for (const { pid, parent } of all) if (counted.has(parent)) counted.add(pid);
  }
  return all.filter(({ pid }) => counted.has(pid));
}

/** Of the process and all below it. */
export function pidsBelow(root: number): number[] {
  return treeOf([root]).map(({ pid }) => pid);
}

/** Milliseconds that the processes `roots` and all below them have used so far, by program. */
export function cpuByProgram(roots: readonly number[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { program, ms } of treeOf(roots)) {
    const kind = kindOf(program);
    sums.set(kind, (sums.get(kind) ?? 0) + ms);
  }
  return sums;
}
