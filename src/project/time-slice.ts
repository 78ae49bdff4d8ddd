import { setImmediate } from 'node:timers/promises';

/** Long enough that the waits do not count, short enough that nobody notices. */
const SLICE_MS = 5;

/** Work that blocks, in pieces: what else this process does has its turn in between. */
export interface TimeSlice {
  isOver(): boolean;
  /** Lets the others have their turn. */
  next(): Promise<void>;
}

export function createTimeSlice(): TimeSlice {
  let until = performance.now() + SLICE_MS;
  return {
    isOver: () => performance.now() > until,
    async next() {
      await setImmediate();
      until = performance.now() + SLICE_MS;
    },
  };
}
