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
 * signal ends the process on the spot.
 */
export function untilStopped(): Promise<StopSignal | 'closed'> {
  return new Promise((resolve) => {
    let asked = false;
    for (const name of STOP_SIGNALS) {
      process.on(name, () => {
        if (asked) process.exit(SIGNAL_EXITS[name]);
        asked = true;
        resolve(name);
      });
    }
    onClosedOutput(() => resolve('closed'));
  });
}
