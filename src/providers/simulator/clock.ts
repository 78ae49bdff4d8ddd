export interface SimulatorClock {
  /** Milliseconds from any fixed point. */
  now(): number;
  /** Resolves after the time or on abort, whichever comes first; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * The real time. A signal gets one listener for all its sleeps: adding and removing one for every
 * chunk was most of what a thousand simulated streams cost.
 */
export function createRealClock(): SimulatorClock {
  const sleepersBySignal = new WeakMap<AbortSignal, Set<() => void>>();
  const sleepersOf = (signal: AbortSignal): Set<() => void> => {
    const known = sleepersBySignal.get(signal);
    if (known !== undefined) return known;
    const sleepers = new Set<() => void>();
    sleepersBySignal.set(signal, sleepers);
    const wakeAll = (): void => {
      for (const wake of sleepers) wake();
    };
    signal.addEventListener('abort', wakeAll, { once: true });
    return sleepers;
  };
  return {
    now: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          resolve();
          return;
        }
        const sleepers = sleepersOf(signal);
        const wake = (): void => {
          clearTimeout(timer);
          sleepers.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        sleepers.add(wake);
      }),
  };
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
