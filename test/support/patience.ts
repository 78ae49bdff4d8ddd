// How long a test waits for what never comes. On a machine that others slow down to a tenth, what usually takes
// seconds takes minutes; a bound that is met then says nothing.

/** Where a test is expected to wait in vain, nobody wants to wait as long. */
export const PATIENCE_MS = Number(process.env['TEST_PATIENCE_MS'] ?? 600_000);
/** Of a whole test, which may wait several times. */
export const TEST_MS = 1_200_000;
