// How hard tests look that could look for ever. The suite has to be quick on a slow machine and starts at
// one fixed seed, so it looks half as often as is usual; before a release, or after a change to what they are
// about, TEST_EFFORT=10 lets them look longer, and elsewhere.
const GIVEN = process.env['TEST_EFFORT'];
const EFFORT = GIVEN === undefined ? 0.5 : Number(GIVEN);

/** `usual` times, or as the effort says. */
export function effort(usual: number): number {
  return Math.ceil(usual * EFFORT);
}

/** How far apart looks at all places of something long may be: every place, with effort. */
export function stride(usual: number): number {
  return Math.max(1, Math.round(usual / (2 * EFFORT)));
}

/**
 * Where tests with chance in them start. The same in every run of the suite, so that a change is
 * judged by what it changed; TEST_SEED=<number> repeats one, and more effort looks elsewhere.
 */
export const SEED: number = Number(
  process.env['TEST_SEED'] ?? (EFFORT > 1 ? Math.floor(Math.random() * 2 ** 31) : 20_261_115),
);
