// Shapes of the job API as a client sees them.
import type { Artifact } from '../contract/artifact.ts';
import type { AssistantMessage, Message, ToolCall } from '../contract/conversation-api.ts';
import type { Reasoning, ServiceTier } from '../contract/fields.ts';
import type { ExecuteRequest, JobKind, JobWaiting, StopReason } from '../contract/job-api.ts';

type JobBasics = Pick<ExecuteRequest, 'streamId' | 'model' | 'maxTokens'> & Partial<ExecuteRequest>;

export type NewJob = JobBasics & { prompt: string };

/** One turn of a conversation; `prompt` can be left out. */
export type NewTurn = JobBasics & { messages: Message[] };

export type Job =
  | { status: 'pending' | 'running' }
  | {
      status: 'completed';
      output: string;
      artifact?: Artifact;
      tokensUsed: { input: number; output: number };
    }
  | { status: 'failed'; error: string; tokensUsed: { input: number; output: number } };

/** Everything the server knows of a job. */
export type JobDetails = Job & {
  jobId: string;
  /** `call`: a call through the model endpoint. Undefined with a server that has no such endpoint. */
  kind?: JobKind;
  streamId: string;
  /** Null for a call that belongs to no run. */
  runId: string | null;
  /** Null where no key was used; undefined with a server that does not say. */
  apiKey?: { id: string; name: string | null } | null;
  model: string;
  provider: string;
  simulated: boolean;
  /** As requested; undefined with a server that does not know it. */
  reasoning?: Reasoning | null;
  serviceTier?: ServiceTier | null;
  /** Whose price the answer has; null without one, or when no tier was requested. */
  usedServiceTier?: ServiceTier | null;
  attempt: number;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Of all attempts; null when the price of a call is not known. */
  costUsd: number | null;
  /** Model calls without a known price, when there are any. */
  unpricedCalls?: number;
  savedUsd: number | null;
  usageEstimated: boolean;
  cachedInputTokens: number;
  /** Of the output; undefined with a server that does not say. */
  reasoningTokens?: number;
  /** `length`: the answer was cut off. null while the job is not completed. */
  stopReason: StopReason | null;
  errorCode: string | null;
  /** What the model calls, of a completed job that was submitted with messages or tools. */
  toolCalls?: ToolCall[];
  /** Its answer, to append to the messages of the next turn. */
  assistantMessage?: AssistantMessage;
  /** Of failed jobs: the text that had come, or null. */
  partialOutput?: string | null;
  /** Present while the job waits, with a server that says so. */
  waiting?: JobWaiting;
};

export interface JobFilter {
  kind?: JobKind;
  status?: Job['status'];
  model?: string;
  runId?: string;
  /** Submitted at this time or later. */
  since?: string;
  /** How the ids begin. */
  id?: string;
}

export type JobEvent =
  | {
      type: 'status';
      status: 'pending' | 'running';
      attempt: number;
      /** Present while the job waits, with a server that says so. */
      waiting?: JobWaiting;
    }
  /** `offset` is the place of the text in the output; a new generation starts the text over. */
  | { type: 'text'; text: string; offset: number; generation: number }
  | { type: 'done'; job: Job };

export interface HistoryFilter {
  organizationId?: string;
  status?: string;
  feature?: string;
  /** The id of a member, or `me`. */
  author?: string;
  since?: string;
  until?: string;
}
