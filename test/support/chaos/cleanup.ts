import { afterEach } from 'vitest';

/** Steps that undo what a test has started, last first, each of them even when another fails. */
export function useCleanup(): (step: () => Promise<unknown>) => void {
  let steps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    const failures: unknown[] = [];
    for (const step of steps.toReversed()) await step().catch((error) => failures.push(error));
    steps = [];
    if (failures.length > 0) throw new AggregateError(failures, 'Cleaning up failed.');
  });
  return (step) => void steps.push(step);
}
