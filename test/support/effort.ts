// How hard tests look that could look for ever. The suite has to be quick on a slow machine; before a
// release, or after a change to what they are about, TEST_EFFORT=10 lets them look longer.
const EFFORT = Number(process.env['TEST_EFFORT'] ?? 1);

/** `usual` times, or more. */
export function effort(usual: number): number {
  return Math.ceil(usual * EFFORT);
}

/**
 * Where tests with chance in them start. The same in every run of the suite, so that a change is
 * judged by what it changed; TEST_SEED=<number> repeats one, and more effort looks elsewhere.
 */
export const SEED: number = Number(
  process.env['TEST_SEED'] ?? (EFFORT > 1 ? Math.floor(Math.random() * 2 ** 31) : 20_261_115),
);
