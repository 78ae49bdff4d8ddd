// One call of a tool, as far as the tools need to know.
import type { Execution } from '../client/index.ts';
import type { Origin } from './headline.ts';
import type { ProgressReport } from './progress.ts';
import type { Form, FormWithState, Question, Response } from './question.ts';

export interface ToolCall {
  /** Aborts when the client gives up on the call. */
  signal: AbortSignal;
  clientName: string | undefined;
  /** Undefined when the client did not ask for it. */
  reportProgress: ((report: ProgressReport) => Promise<void>) | undefined;
  /** How the user can be asked; undefined when the client offers no way. */
  asking: Asking | undefined;
  /** The client takes a handle for what takes long. */
  offersTasks: boolean;
}

/** With a call that comes again. */
export interface BroughtAnswer {
  executionId: string;
  response: Response;
  origin: Origin | undefined;
}

export type Asking =
  /** Newer clients get the question as the result, and call again with the answer. */
  | {
      kind: 'by-result';
      answer: BroughtAnswer | undefined;
      /** The same, as it came. */
      brought: { state: string; response: Response } | undefined;
    }
  /** Those that hold a handle see the question there, for so long, and answer it with another request. */
  | { kind: 'by-task'; mostMs: number }
  /** Older ones are asked while the call waits. */
  | {
      kind: 'by-request';
      /** Undefined when no answer came in time. */
      ask(question: Form, waitMs: number): Promise<Response | undefined>;
    };

export type ToolAnswer =
  | { kind: 'output'; output: object; isError: boolean }
  | { kind: 'question'; question: Question | FormWithState }
  /** A handle: the client asks for the result by itself. */
  | { kind: 'task'; execution: Execution; origin: Origin | undefined };
