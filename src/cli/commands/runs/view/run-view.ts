// How a run is shown while it is on.
import type { RunEvent } from '../../../../contract/run-events.ts';

export interface RunView {
  follow(event: RunEvent): void;
  /** Something for the user that is no event. */
  say(text: string): void;
  /** Out of the way, for a question. */
  hold(): void;
  resume(): void;
  close(): void;
}
