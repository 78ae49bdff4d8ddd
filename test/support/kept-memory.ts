// How much memory something holds on to. What is merely not collected yet does not count: that depends on the machine.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Of this process, in bytes. */
export function heldMemory(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The most bytes that `work` held at any of many moments, its result included. */
export async function mostHeldBy<T>(work: () => Promise<T>): Promise<{ result: T; bytes: number }> {
  const before = heldMemory();
  let bytes = 0;
  const look = () => {
    bytes = Math.max(bytes, heldMemory() - before);
  };
  // Each look takes a while where the heap is large or the machine slow, and the work has to go on in between.
  let timer = setTimeout(function again() {
    const begun = performance.now();
    look();
    timer = setTimeout(again, 200 + 10 * (performance.now() - begun));
  }, 200);
  try {
    const result = await work();
    look();
    return { result, bytes };
  } finally {
    clearTimeout(timer);
  }
}
