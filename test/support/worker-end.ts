// What the test files of one process share is closed when that process has run its last file. Files do not
// know which of them is the last; the environment of the tests does.
type Close = () => Promise<void>;

const KEPT = Symbol.for('millrace.test.worker-end');
const world = globalThis as unknown as Record<symbol, Close[] | undefined>;

export function atWorkerEnd(close: Close): void {
  (world[KEPT] ??= []).push(close);
}

/** Last opened, first closed. */
export async function closeAtWorkerEnd(): Promise<void> {
  const closes = world[KEPT]?.splice(0) ?? [];
  for (const close of closes.toReversed()) await close();
}
