// What the kernel counts of the time of a core, or of all of them (Linux).
import { readFileSync } from 'node:fs';

export interface CpuTimes {
  used: number;
  /** Nobody wanted it, or whoever did waited for a disk. */
  idle: number;
  /** The host gave it to another machine. */
  stolen: number;
}

/** `core`: undefined for all of them together. Undefined where there is no such count. */
export function cpuTimes(core?: number): CpuTimes | undefined {
  let counts: string;
  try {
    counts = readFileSync('/proc/stat', 'utf8');
  } catch {
    return undefined;
  }
  const line = counts.split('\n').find((each) => each.startsWith(`cpu${core ?? ''} `));
  if (line === undefined) return undefined;
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] =
    times;
  return { used: user + nice + system + irq + softIrq, idle: idle + waiting, stolen };
}
