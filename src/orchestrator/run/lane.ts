// One at a time, in the order of asking: files are written and checked by one stream at a time, so
// that each check sees a tree that nobody is writing to.

export interface Lane {
  /** Whether the next one has to wait. */
  isBusy(): boolean;
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    isBusy: () => count > 0,
    take(work) {
      count += 1;
      const mine = last.then(work).finally(() => (count -= 1));
      // The next one starts whether or not this one failed.
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
