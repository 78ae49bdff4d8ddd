// What a sandboxed command may use up.

export interface Limits {
  timeoutMs: number;
  /** Of all its processes together. */
  memoryBytes: number;
  /** Processes; threads count, as the kernel counts them. */
  processes: number;
  /** Standard output and error together. */
  outputBytes: number;
  /** Written to the copy, dependencies, home and temp folder together. */
  diskBytes: number;
}

export type LimitName = 'time' | 'memory' | 'processes' | 'output' | 'disk';

const GIB = 1024 ** 3;

export const DEFAULT_LIMITS: Limits = {
  timeoutMs: 600_000,
  memoryBytes: 4 * GIB,
  processes: 512,
  outputBytes: GIB / 4,
  diskBytes: 2 * GIB,
};

function size(bytes: number): string {
  const [unit, name] = bytes >= GIB ? [GIB, 'GiB'] : [1024 ** 2, 'MiB'];
  return `${Number((bytes / unit).toFixed(1))} ${name}`;
}

/** A sentence for the person who waits for the command. */
export function limitText(limit: LimitName, limits: Limits): string {
  switch (limit) {
    case 'time':
      return `It took longer than ${limits.timeoutMs / 1000} seconds.`;
    case 'memory':
      return `It used more than ${size(limits.memoryBytes)} of memory.`;
    case 'processes':
      return `It started more than ${limits.processes} processes and threads.`;
    case 'output':
      return `It printed more than ${size(limits.outputBytes)}.`;
    case 'disk':
      return `It wrote more than ${size(limits.diskBytes)} to disk.`;
  }
}
