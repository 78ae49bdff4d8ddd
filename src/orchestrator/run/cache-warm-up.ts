// Streams that begin with the same long text: the first one goes ahead, so that the vendor has the
// text in its cache when the others come, and they pay a tenth for it.

export interface CacheWarmUp {
  /**
   * Resolves when the call may be made. The one that goes ahead reports its first text by calling
   * `warmed`.
   */
  enter(prefix: string, signal: AbortSignal): Promise<{ isAhead: boolean; warmed(): void }>;
}

/** Longer than that the others do not wait: a slow first answer must not hold the whole run up. */
const LONGEST_WAIT_MS = 20_000;
/** Shorter texts are not cached by any vendor. */
const LEAST_LENGTH = 4_000;

const NOTHING = { isAhead: false, warmed: () => {} };

export function createCacheWarmUp(options: { isOn: boolean }): CacheWarmUp {
  const warm = new Map<string, Promise<void>>();
  return {
    async enter(prefix, signal) {
      if (!options.isOn || prefix.length < LEAST_LENGTH) return NOTHING;
      const going = warm.get(prefix);
      if (going === undefined) {
        let warmed = () => {};
        warm.set(prefix, new Promise((resolve) => (warmed = resolve)));
        return { isAhead: true, warmed };
      }
      await Promise.race([going, waited(signal)]);
      return NOTHING;
    },
  };
}

function waited(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT_MS);
    timer.unref();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
