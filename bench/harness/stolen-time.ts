// How much of the CPU the host gave to other machines meanwhile: a virtual machine can be slow for reasons that
// nothing in it shows. Linux only; undefined elsewhere.
import { readFileSync } from 'node:fs';

interface CpuTimes {
  stolen: number;
  /** Of time in which somebody here wanted to run. */
  wanted: number;
}

function cpuTimes(): CpuTimes | undefined {
  try {
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const [user, nice, system, , , irq, softIrq, stolen] = line!
      .trim()
      .split(/\s+/)
      .slice(1, 9)
      .map(Number);
    const used = user! + nice! + system! + irq! + softIrq!;
    return { stolen: stolen!, wanted: used + stolen! };
  } catch {
    return undefined;
  }
}

/** Call it once to begin, and what it returns to hear the share since. */
export function watchStolenTime(): () => number | undefined {
  const before = cpuTimes();
  return () => {
    const after = cpuTimes();
    if (before === undefined || after === undefined || after.wanted === before.wanted)
      return undefined;
    return (after.stolen - before.stolen) / (after.wanted - before.wanted);
  };
}
