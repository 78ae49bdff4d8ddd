// The events of a run by what they mean; their shapes are in the contract.
import type { RunEvent, RunTotals } from '../../contract/run-events.ts';

export type RunEndEvent = Extract<RunEvent, { totals: RunTotals }>;

const ENDS: ReadonlySet<string> = new Set([
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.paused',
]);

export function isRunEnd(event: { type: string }): boolean {
  return ENDS.has(event.type);
}

/** What may come after the end of a run and does not begin it again. A review that asks for changes does. */
export function isAfterEnd(event: {
  type: string;
  fixes?: readonly unknown[] | undefined;
}): boolean {
  if (event.type === 'run.reviewed') return (event.fixes ?? []).length === 0;
  return event.type === 'run.reverted';
}

/** How a run ended; undefined while it is on, or when it was cut off. */
export function endOf(events: readonly RunEvent[]): RunEndEvent | undefined {
  const last = events.findLast((event) => !isAfterEnd(event));
  return last !== undefined && isRunEnd(last) ? (last as RunEndEvent) : undefined;
}

/** A run that found nothing to do: looking for "the last run", a user means one before it. */
export function didNothing(events: readonly RunEvent[]): boolean {
  if (endOf(events)?.type !== 'run.completed') return false;
  // The state of a stream alone changes also where it is only left out.
  return events.every((event) => !('stream' in event) || event.type === 'stream.status');
}
