// Waiting for the wish to stop.
import { onClosedOutput } from './terminal/closed-output.ts';
import { EXIT } from './exit-codes.ts';

export const SIGNAL_EXITS = {
  // The terminal was closed: without it, what was started here would stay behind.
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
} as const;
export type StopSignal = keyof typeof SIGNAL_EXITS;
export const STOP_SIGNALS = Object.keys(SIGNAL_EXITS) as StopSignal[];

/**
 * Resolves at the first of these signals, or when nobody reads the output any longer; a second
 * signal ends the process on the spot. For programs that send the same signal twice in a row, those
 * within `repeatsMs` count as one.
 */
export function untilStopped({ repeatsMs = 0 } = {}): Promise<StopSignal | 'closed'> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const name of STOP_SIGNALS) {
      process.on(name, () => {
        const now = performance.now();
        if (now - (askedAt ?? Infinity) >= repeatsMs) process.exit(SIGNAL_EXITS[name]);
        askedAt ??= now;
        resolve(name);
      });
    }
    onClosedOutput(() => resolve('closed'));
  });
}

/**
 * While there is nothing to undo: the first signal ends the process, with an exit, so that the screen is restored.
 * Returns how to stop listening.
 */
export function leaveOnSignal(beforeLeaving: () => void): () => void {
  const listeners = STOP_SIGNALS.map((name) => {
    const leave = () => {
      beforeLeaving();
      process.exit(SIGNAL_EXITS[name]);
    };
    process.on(name, leave);
    return () => process.off(name, leave);
  });
  return () => listeners.forEach((remove) => remove());
}
