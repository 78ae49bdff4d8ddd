// What became of the time of a core, by the kernel's own count (Linux).
import { readFileSync } from 'node:fs';

/** Shares of the time. */
export interface CoreShares {
  /** Nobody wanted it. */
  idle: number;
  /** The host gave it to another machine. */
  stolen: number;
}

/** In the order of /proc/stat: user, nice, system, idle, idle while somebody waits for a disk, interrupts, soft ones, stolen. */
function timesOf(core: number): number[] {
  const line = readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`cpu${core} `))!;
  return line.trim().split(/\s+/).slice(1, 9).map(Number);
}

/** Call it once to begin, and what it returns to hear the shares since. */
export function watchCore(core: number): () => CoreShares {
  const before = timesOf(core);
  return () => {
    const spent = timesOf(core).map((time, index) => time - before[index]!);
    const total = spent.reduce((sum, each) => sum + each, 0);
    return { idle: (spent[3]! + spent[4]!) / total, stolen: spent[7]! / total };
  };
}
