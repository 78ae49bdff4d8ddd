// Lines of a journal, read with care: a disk can lose or mix up what was written, and a person can
// edit it. What does not have the shape of an event is not one.
import { isRunEvent } from '../../contract/run-events.ts';
import type { RunEvent } from '../../contract/run-events.ts';

/** Undefined when it is not an event. */
export function readEventLine(line: string): RunEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isRunEvent(value) ? value : undefined;
}
