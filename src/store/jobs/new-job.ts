// What is written when a job is accepted, and with the one that plans an execution.
import type { Reasoning, ServiceTier } from '../../contract/fields.ts';
import type { PlannedStep } from '../../domain/execution/model.ts';
import type { Submission } from '../../domain/job/submission.ts';
import type { NewWebhook } from '../webhooks/webhooks.ts';

export interface NewExecution {
  id: string;
  /** JSON text, like context. */
  task: string;
  context: string;
  dryRun: boolean;
  maxSteps: number;
  timeoutMs: number;
  budgetUsd: number | undefined;
  /** Output tokens that each call may have. */
  maxTokens: number;
  reasoning: Reasoning | undefined;
  serviceTier: ServiceTier | undefined;
  /** For an address that hears of this execution alone. */
  webhook: NewWebhook | undefined;
  /** The plan of a dry run, whose job asks no model any more. */
  planned?: Planned;
}

export interface Planned {
  /** The dry run. */
  by: string;
  steps: readonly PlannedStep[];
}

/** Of a call that passes through. */
export interface NewCall {
  /** The node of the process that makes it. */
  nodeId: string;
  /** JSON text: what counts as used if the process dies with it (see used-so-far). */
  usedSoFar: string;
}

export interface NewJob extends Submission {
  /** The key that was used, where it was one. */
  apiKeyId: string | null;
  streamName: string | undefined;
  waveNumber: number;
  feature: string;
  provider: string;
  simulated: boolean;
  maxTokens: number;
  temperature: number | undefined;
  reasoning: Reasoning | undefined;
  serviceTier: ServiceTier | undefined;
  /** JSON text. */
  prompt: string;
  promptParts: string | undefined;
  /** JSON text: see domain/prompt/conversation. */
  conversation?: string | undefined;
  sealedKey: string | undefined;
  timeoutMs: number;
  /** The trace it belongs to, while traces are collected. */
  trace?: string | undefined;
  /** No further call once one has used tokens: what a budget reserved is for one. */
  payOnce?: boolean;
  /** The execution that this job plans, or is a step of. */
  executionId?: string;
  /** To be written with the job that plans it. */
  execution?: NewExecution;
  call?: NewCall;
}
