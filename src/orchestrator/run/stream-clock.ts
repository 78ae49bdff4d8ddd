// The time that a stream may take. It stands still while the stream waits for others: for its turn
// with the files, or for a person who looks through its changes.

export interface StreamClock {
  /** Aborted when the time is over. */
  signal: AbortSignal;
  pause(): void;
  resume(): void;
  /** Gives the timer back. */
  close(): void;
}

export function createStreamClock(timeoutMs: number): StreamClock {
  const over = new AbortController();
  let left = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  let since = 0;

  function resume(): void {
    if (timer !== undefined) return;
    since = performance.now();
    timer = setTimeout(() => over.abort(), left);
  }

  function pause(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left = Math.max(0, left - (performance.now() - since));
  }

  resume();
  return { signal: over.signal, pause, resume, close: () => clearTimeout(timer) };
}
