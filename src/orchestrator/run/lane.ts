// One at a time, in the order of asking: files are written and checked by one stream at a time, so
// that each check sees a tree that nobody is writing to.

export interface Lane {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work) {
      const mine = last.then(work);
      // The next one starts whether or not this one failed.
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
