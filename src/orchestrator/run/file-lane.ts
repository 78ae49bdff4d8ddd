// Who may write and check files. Usually one stream at a time, so that each check sees a tree that
// nobody writes to. Where several may be checked side by side, each still writes alone, and none
// writes a file that another one is being checked with.

export interface FileTurn {
  /** From 0: no two streams have the same at the same time. */
  number: number;
  /** Nobody else writes meanwhile. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Undefined when nobody has one of these files, and now they are this one's until it is done. */
  claim(paths: readonly string[]): Promise<void> | undefined;
}

export interface FileLane {
  /** Whether the next one has to wait. */
  isBusy(): boolean;
  take<T>(work: (turn: FileTurn) => Promise<T>): Promise<T>;
}

/** One after the other, in the order of asking; the next one starts whether or not this one failed. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

export function createFileLane(turns = 1): FileLane {
  const free = Array.from({ length: turns }, (_, number) => number);
  const waiting: ((number: number) => void)[] = [];
  const alone = createQueue();
  const claims = new Map<string, Promise<void>>();
  let count = 0;

  async function enter(): Promise<number> {
    return free.shift() ?? new Promise((resolve) => waiting.push(resolve));
  }

  function leave(number: number): void {
    const next = waiting.shift();
    if (next) next(number);
    else free.push(number);
  }

  return {
    isBusy: () => count >= turns,
    async take(work) {
      count += 1;
      const number = await enter();
      const over = Promise.withResolvers<void>();
      const mine: string[] = [];
      try {
        return await work({
          number,
          alone,
          claim(paths) {
            const taken = paths.map((path) => claims.get(path)).find((one) => one !== undefined);
            if (taken !== undefined && taken !== over.promise) return taken;
            mine.push(...paths);
            for (const path of paths) claims.set(path, over.promise);
            return undefined;
          },
        });
      } finally {
        for (const path of mine) claims.delete(path);
        over.resolve();
        count -= 1;
        leave(number);
      }
    },
  };
}
