// What the engine knows of a model vendor. One call is one upstream request: no provider retries by
// itself, because retries belong to the job (its deadline, its attempts, its ledger).

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

export interface Usage {
  /** All input tokens, cached ones included. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** True when the vendor did not tell and the figures were estimated from the text. */
  estimated: boolean;
}

export interface PromptParts {
  systemContent: string;
  projectContext: string;
  streamContext: string;
  taskContent: string;
}

export interface ProviderRequest {
  /** Who pays: prefix caches are never shared between owners. */
  ownerId: string;
  streamId: string;
  model: string;
  prompt: string;
  /** The same text as `prompt`, cut where caching may cut it. */
  parts?: PromptParts;
  maxTokens: number;
  temperature?: number;
  apiKey?: string;
  signal: AbortSignal;
}

export interface ProviderFailure {
  kind: FailureKind;
  /** Readable, without secrets: it becomes the job's `error`. */
  message: string;
  retryable: boolean;
  retryAfterMs?: number;
}

export type ProviderOutcome =
  | { kind: 'completed'; finish: 'stop' | 'length'; usage: Usage }
  | { kind: 'failed'; failure: ProviderFailure; usage: Usage }
  | { kind: 'aborted'; usage: Usage };

export interface Provider {
  readonly id: string;
  readonly simulated: boolean;
  /** Never rejects for a vendor's fault: failures are outcomes. `onText` gets each delta in order. */
  run(request: ProviderRequest, onText: (delta: string) => void): Promise<ProviderOutcome>;
  /** Dollars for this usage, or null when the price is unknown. */
  costUsd(model: string, usage: Usage): number | null;
}
