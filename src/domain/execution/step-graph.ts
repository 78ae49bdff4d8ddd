// Which steps wait for which.
import type { Step } from './model.ts';

type Waiting = Pick<Step, 'position' | 'waitsFor'>;

/** Steps that have not started and wait for nothing any more, in the order of the plan. */
export function readySteps<S extends Pick<Step, 'position' | 'waitsFor' | 'status'>>(
  steps: readonly S[],
): S[] {
  const complete = new Set(
    steps.filter(({ status }) => status === 'complete').map(({ position }) => position),
  );
  return steps.filter(
    ({ status, waitsFor }) =>
      status === 'pending' && waitsFor.every((position) => complete.has(position)),
  );
}

/** Everything that a step waits for, directly or not. */
export function ancestorsOf(steps: readonly Waiting[], position: number): Set<number> {
  const byPosition = new Map(steps.map((step) => [step.position, step]));
  const found = new Set<number>();
  const open = [...(byPosition.get(position)?.waitsFor ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(byPosition.get(next)?.waitsFor ?? []));
  }
  return found;
}

/** Steps that can never start once this one has failed. */
export function dependentsOf(steps: readonly Waiting[], position: number): Set<number> {
  return new Set(
    steps
      .filter((step) => ancestorsOf(steps, step.position).has(position))
      .map((step) => step.position),
  );
}

/** An order in which every step comes after those that it waits for. */
export function inOrder<S extends { wave: number; position: number }>(steps: readonly S[]): S[] {
  return steps.toSorted((a, b) => a.wave - b.wave || a.position - b.position);
}
