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

/** A client skips types that it does not know. */
export interface ExecutionEvent {
  type: string;
  data: Record<string, unknown>;
}
