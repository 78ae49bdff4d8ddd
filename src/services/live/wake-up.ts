// Waits for a call, some time, or the end, whichever comes first.

export interface WakeUp {
  wake(): void;
  /** Resolves after `wake` was called since the last time, after `ms`, or on abort. */
  next(ms: number): Promise<void>;
}

export function createWakeUp(signal: AbortSignal): WakeUp {
  let called = Promise.withResolvers<void>();
  const wake = () => called.resolve();
  signal.addEventListener('abort', wake, { once: true });
  return {
    wake,
    async next(ms) {
      if (signal.aborted) return;
      const timer = setTimeout(wake, ms);
      await called.promise;
      clearTimeout(timer);
      called = Promise.withResolvers<void>();
    },
  };
}
