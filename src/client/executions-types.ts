// Shapes of the executions API as a client sees them: those that the server checks.
import type { Execution } from '../contract/execution-api.ts';

export type {
  CancelledExecution,
  CreatedExecution as StartedExecution,
  Execution,
  ExecutionPage,
  ExecutionStatus,
  ListedExecution,
  NewExecution,
  PlanToRun,
} from '../contract/execution-api.ts';

export type ExecutionStep = Execution['steps'][number];

/** Types that a client does not know are to be left out. */
export interface ExecutionEvent {
  type: string;
  data: Record<string, unknown>;
}
