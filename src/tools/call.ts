// One call of a tool, as far as the tools need to know.
import type { ToldProgress } from './progress.ts';

export interface ToolCall {
  /** Aborts when the client gives up on the call. */
  signal: AbortSignal;
  clientName: string | undefined;
  /** Undefined when the client did not ask for it. */
  tellProgress: ((told: ToldProgress) => Promise<void>) | undefined;
}

export interface ToolAnswer {
  output: object;
  isError: boolean;
}
