// Several sources of events as one.

/** In the order in which they come; ends when all have ended, fails when one does. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const taken: { value: T; done: () => void }[] = [];
  let news = Promise.withResolvers<void>();
  let open = sources.length;
  let failure: { error: unknown } | undefined;
  let isStopped = false;

  // Not a race of all of them for each event: those who are silent for long would collect its leftovers.
  async function pump(source: AsyncIterable<T>): Promise<void> {
    try {
      for await (const value of source) {
        if (isStopped) return;
        // A slow reader slows every source down.
        await new Promise<void>((done) => {
          taken.push({ value, done });
          news.resolve();
        });
        if (isStopped) return;
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      open -= 1;
      news.resolve();
    }
  }

  for (const source of sources) void pump(source);
  try {
    for (;;) {
      const next = taken.shift();
      if (next !== undefined) {
        yield next.value;
        next.done();
        continue;
      }
      if (failure !== undefined) throw failure.error;
      if (open === 0) return;
      await news.promise;
      news = Promise.withResolvers<void>();
    }
  } finally {
    isStopped = true;
    for (const { done } of taken) done();
  }
}
