// How one attempt at a stream ended.
import type { ApprovalKind } from '../../contract/approval-api.ts';
import { classifyFailure } from '../../domain/run/failure-class.ts';
import type { Classified, StreamFailure } from '../../domain/run/failure-class.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { RunContext } from './context.ts';
import type { Halt } from '../../domain/run/halt.ts';

/** A person said no: not a failure, and nothing may build on it. */
export interface Denied {
  kind: 'denied';
  what: ApprovalKind;
  /** Undefined: nobody answered in time. */
  by: string | undefined;
  comment: string | undefined;
  error: string;
}

/** How its answer was written and checked. */
export type Applied =
  | { kind: 'complete'; files: string[] }
  | { kind: 'failed'; failure: StreamFailure; problems?: readonly ApplyProblem[] }
  | Denied
  | { kind: 'halted'; halt: Halt }
  | { kind: 'stopped' };

export type StreamOutcome =
  | { kind: 'complete'; files: string[]; appliedAt: string | undefined }
  | {
      kind: 'failed';
      failure: StreamFailure;
      classified: Classified;
      /** What the model said last. */
      answer?: string;
    }
  | Denied
  /** Not its fault: nothing can be run as things are. */
  | { kind: 'halted'; halt: Halt }
  | { kind: 'stopped' };

export function failed(failure: StreamFailure): StreamOutcome {
  return { kind: 'failed', failure, classified: classifyFailure(failure) };
}

export function settle(context: RunContext, applied: Applied): StreamOutcome {
  if (applied.kind === 'failed') return failed(applied.failure);
  if (applied.kind !== 'complete') return applied;
  return { kind: 'complete', files: applied.files, appliedAt: context.options.now().toISOString() };
}
