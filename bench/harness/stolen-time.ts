// How much of the CPU the host gave to other machines meanwhile: a virtual machine can be slow for reasons that
// nothing in it shows. Linux only; undefined elsewhere.
import { cpuTimes } from './cpu-times.ts';

/** Call it once to begin, and what it returns to hear the share since, of time in which somebody wanted to run. */
export function watchStolenTime(): () => number | undefined {
  const before = cpuTimes();
  return () => {
    const after = cpuTimes();
    if (before === undefined || after === undefined) return undefined;
    const stolen = after.stolen - before.stolen;
    const wanted = after.used - before.used + stolen;
    return wanted === 0 ? undefined : stolen / wanted;
  };
}
