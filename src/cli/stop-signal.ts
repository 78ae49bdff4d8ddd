// Waiting for the wish to stop.

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process on the spot. */
export function untilStopped(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let asked = false;
    for (const name of Object.keys(EXIT_CODES) as StopSignal[]) {
      process.on(name, () => {
        if (asked) process.exit(EXIT_CODES[name]);
        asked = true;
        resolve(name);
      });
    }
  });
}
