// Many may use a thing at the same time, or one may change it; in the order of asking.

export interface Turns {
  /** Each returns how to end it. */
  use(): Promise<() => void>;
  change(): Promise<() => void>;
}

export function createTurns(): Turns {
  let lastChange: Promise<unknown> = Promise.resolve();
  let uses: Promise<unknown>[] = [];
  return {
    async use() {
      const over = Promise.withResolvers<void>();
      uses.push(over.promise);
      await lastChange;
      return over.resolve;
    },
    async change() {
      const over = Promise.withResolvers<void>();
      const before = Promise.all([lastChange, ...uses]);
      lastChange = over.promise;
      uses = [];
      await before;
      return over.resolve;
    },
  };
}
