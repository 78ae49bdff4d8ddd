// What the engine knows of a model vendor. One call is one upstream request: no provider retries by
// itself, because retries belong to the job (its deadline, its attempts, its ledger).

import type { Conversation, OpaqueAnswer, ToolCall } from '../contract/conversation-api.ts';
import { FAILURE_CODES } from '../contract/job-codes.ts';
import type { Reasoning, ServiceTier } from '../contract/fields.ts';
import type { PricedTier } from '../domain/model/facts-price.ts';
import type { Caching } from '../domain/prompt/caching-hints.ts';

export type FailureKind =
  | 'auth'
  | 'billing'
  | 'permission'
  | 'model_not_found'
  | 'bad_request'
  | 'context_length'
  | 'refused'
  | 'rate_limit'
  | 'overloaded'
  | 'upstream'
  | 'network'
  | 'interrupted'
  | 'protocol'
  | 'timeout';

export type ProviderCode = `PROVIDER_${Uppercase<FailureKind>}`;

/** The code of a job that fails by it. */
export function codeOf(kind: FailureKind): ProviderCode {
  return `PROVIDER_${kind.toUpperCase() as Uppercase<FailureKind>}`;
}

/** The same call may succeed later. */
export function isRetryable(kind: FailureKind): boolean {
  return FAILURE_CODES[codeOf(kind)].retryable;
}

export interface Usage {
  /** All input tokens, cached ones included. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of `cacheWrite`, what is kept for an hour: it has a price of its own. */
  cacheWriteHour?: number;
  /** True when the vendor did not tell and the figures were estimated from the text. */
  estimated: boolean;
}

export const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  estimated: false,
};

export interface PromptParts {
  systemContent: string;
  projectContext: string;
  streamContext: string;
  taskContent: string;
}

export interface ProviderRequest {
  /** Who pays: prefix caches are never shared between owners. */
  ownerId: string;
  /** Calls of one scope share long parts of their prompts. */
  cacheScope?: string;
  streamId: string;
  model: string;
  prompt: string;
  /** The same text as `prompt`, cut where caching may cut it. */
  parts?: PromptParts;
  /** Instead of the prompt: all turns so far, and the tools. */
  conversation?: Conversation;
  /** What the caller says about caching the parts. */
  caching?: Caching;
  /** Undefined leaves it to the vendor. */
  maxTokens?: number;
  temperature?: number;
  /** How much the model should think; undefined leaves it to the model. */
  reasoning?: Reasoning;
  /** Undefined leaves it to the vendor. */
  serviceTier?: ServiceTier;
  apiKey?: string;
  signal: AbortSignal;
}

/** The longest answer that a vendor allows, as its refusal of a longer one says. */
export interface OutputLimit {
  tokens: number;
  /** Of the model: the same for every call. Of the context: what this prompt leaves of it. */
  of: 'model' | 'context';
}

export interface ProviderFailure {
  kind: FailureKind;
  /** Readable, without secrets: it becomes the job's `error`. */
  message: string;
  retryable: boolean;
  retryAfterMs?: number;
  outputLimit?: OutputLimit;
  /** Of a vendor that has no room: only for the tier of the call. Other calls with the key are not affected. */
  onlyTier?: boolean;
}

/** What came of a conversation's turn, beside its text. */
export interface TurnAnswer {
  toolCalls: ToolCall[];
  opaque?: OpaqueAnswer;
}

interface CallUsage {
  usage: Usage;
  /** What the vendor says it charged, where it says so. */
  reportedCostUsd?: number;
  /** The tier that the answer says it was charged at. */
  reportedTier?: PricedTier;
}

export type ProviderOutcome = CallUsage &
  /** `turn`: where the request is a conversation. */
  (
    | { kind: 'completed'; finish: 'stop' | 'length'; turn?: TurnAnswer }
    | { kind: 'failed'; failure: ProviderFailure }
    | { kind: 'aborted' }
  );

export interface Provider {
  readonly id: string;
  readonly simulated: boolean;
  /** False when calls may go without a key. */
  readonly needsKey: boolean;
  /**
   * Never rejects for a vendor's fault: failures are outcomes. `onText` gets each delta in order;
   * an empty one is a sign of life, as of a model that thinks.
   */
  run(request: ProviderRequest, onText: (delta: string) => void): Promise<ProviderOutcome>;
  /** Whether calls of the model can be sent at this tier. */
  offersTier(model: string, tier: ServiceTier): boolean;
  /** Dollars for this usage, or null when the price is unknown. Without a tier at the standard price. */
  costUsd(model: string, usage: Usage, tier?: PricedTier): number | null;
}
