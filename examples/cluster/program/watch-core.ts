// What became of the time of a core, by the kernel's own count (Linux).
import { cpuTimes } from '../../../bench/harness/cpu-times.ts';

/** Shares of the time. */
export interface CoreShares {
  /** Nobody wanted it. */
  idle: number;
  /** The host gave it to another machine. */
  stolen: number;
}

/** Call it once to begin, and what it returns to hear the shares since. */
export function watchCore(core: number): () => CoreShares {
  const before = cpuTimes(core)!;
  return () => {
    const after = cpuTimes(core)!;
    const idle = after.idle - before.idle;
    const stolen = after.stolen - before.stolen;
    const total = after.used - before.used + idle + stolen;
    return { idle: idle / total, stolen: stolen / total };
  };
}
