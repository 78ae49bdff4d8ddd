// How an execution is shown while it runs.
import type { Execution } from '../../../../client/index.ts';

export interface ExecutionView {
  /** Everything that is known of it by now. */
  show(execution: Execution): void;
  close(): void;
}
