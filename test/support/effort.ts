// How hard tests look that could look for ever. The suite has to be quick on a slow machine; before a
// release, or after a change to what they are about, TEST_EFFORT=10 lets them look longer.
const EFFORT = Number(process.env['TEST_EFFORT'] ?? 1);

/** `usual` times, or more. */
export function effort(usual: number): number {
  return Math.ceil(usual * EFFORT);
}
