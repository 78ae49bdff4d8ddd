import { isRetryable } from '../provider.ts';
import type { FailureKind, ProviderFailure } from '../provider.ts';

interface FailureRow {
  message: string;
  /** Tokens sent before the failure; most kinds fail before the first. */
  afterTokens: number;
}

/** What the simulator says for each kind of failure, as the vendors do. */
export const FAILURES: Readonly<Record<FailureKind, FailureRow>> = {
  auth: { message: 'the provider refused the API key', afterTokens: 0 },
  billing: { message: 'the account has no credit left', afterTokens: 0 },
  permission: { message: 'the API key may not use this model', afterTokens: 0 },
  model_not_found: { message: 'there is no such model', afterTokens: 0 },
  bad_request: {
    message: 'the provider did not accept the request',
    afterTokens: 0,
  },
  context_length: {
    message: 'the prompt is longer than the model can read',
    afterTokens: 0,
  },
  refused: { message: 'the model declined to answer', afterTokens: 0 },
  rate_limit: { message: 'too many requests', afterTokens: 0 },
  overloaded: { message: 'the provider is overloaded', afterTokens: 0 },
  upstream: { message: 'the provider had an internal error', afterTokens: 0 },
  network: { message: 'the connection failed', afterTokens: 0 },
  interrupted: {
    message: 'the answer ended before it was complete',
    afterTokens: 12,
  },
  protocol: { message: 'the answer could not be read', afterTokens: 0 },
  timeout: { message: 'the provider did not answer in time', afterTokens: 0 },
};

export function isFailureKind(name: string): name is FailureKind {
  return Object.hasOwn(FAILURES, name);
}

export function failureOf(
  kind: FailureKind,
  options: { retryAfterMs?: number; message?: string } = {},
): ProviderFailure {
  const { message } = FAILURES[kind];
  const { retryAfterMs } = options;
  return {
    kind,
    message: `Simulated failure: ${options.message ?? message}`,
    retryable: isRetryable(kind),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
