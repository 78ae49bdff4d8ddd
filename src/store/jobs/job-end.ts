// How a job can end, and with what.
import type { StopReason } from '../../contract/job-api.ts';

export interface UsedTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  estimated: boolean;
  /** Of the calls whose price is known. */
  costUsd: number;
  unpricedCalls: number;
  /** What caching saved; null when nothing was cached or there is no price. */
  savedUsd?: number | null;
}

export type JobEnding =
  | {
      kind: 'completed';
      stopReason: StopReason;
      /** JSON text. */
      output: string;
      artifact: string | undefined;
      filesChanged: string;
    }
  | { kind: 'failed'; error: string; errorCode: string }
  | { kind: 'cancelled' }
  /** Not an end: an attempt that was given up tells what it used. */
  | { kind: 'usage_only' };

export interface JobEnd {
  jobId: string;
  runId: string;
  teamId: string;
  /** The execution that the job belongs to, which its end moves on. */
  executionId?: string | null;
  /** The attempt that ends; undefined ends the job whichever attempt is on (cancel, deadline). */
  attempt: number | undefined;
  ending: JobEnding;
  used: UsedTokens | undefined;
  /** What had come of an answer that will not be completed: it was paid for. */
  text?: string;
  textGeneration: number;
}

/** Enough for the longest answers; what is beyond it is not kept. In UTF-16 units. */
export const MAX_PARTIAL_OUTPUT = 1024 * 1024;
