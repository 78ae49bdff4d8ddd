import type { FailureKind, ProviderFailure } from '../provider.ts';

interface FailureRow {
  message: string;
  retryable: boolean;
  /** Tokens sent before the failure; most kinds fail before the first. */
  afterTokens: number;
}

/** What the simulator says for each kind of failure, as the vendors do. */
export const FAILURES: Readonly<Record<FailureKind, FailureRow>> = {
  auth: { message: 'the provider refused the API key', retryable: false, afterTokens: 0 },
  billing: { message: 'the account has no credit left', retryable: false, afterTokens: 0 },
  permission: { message: 'the API key may not use this model', retryable: false, afterTokens: 0 },
  model_not_found: { message: 'there is no such model', retryable: false, afterTokens: 0 },
  bad_request: {
    message: 'the provider did not accept the request',
    retryable: false,
    afterTokens: 0,
  },
  context_length: {
    message: 'the prompt is longer than the model can read',
    retryable: false,
    afterTokens: 0,
  },
  refused: { message: 'the model declined to answer', retryable: false, afterTokens: 0 },
  rate_limit: { message: 'too many requests', retryable: true, afterTokens: 0 },
  overloaded: { message: 'the provider is overloaded', retryable: true, afterTokens: 0 },
  upstream: { message: 'the provider had an internal error', retryable: true, afterTokens: 0 },
  network: { message: 'the connection failed', retryable: true, afterTokens: 0 },
  interrupted: {
    message: 'the answer ended before it was complete',
    retryable: true,
    afterTokens: 12,
  },
  protocol: { message: 'the answer could not be read', retryable: true, afterTokens: 0 },
  timeout: { message: 'the provider did not answer in time', retryable: true, afterTokens: 0 },
};

export function isFailureKind(name: string): name is FailureKind {
  return Object.hasOwn(FAILURES, name);
}

export function failureOf(
  kind: FailureKind,
  options: { retryAfterMs?: number; message?: string } = {},
): ProviderFailure {
  const { message, retryable } = FAILURES[kind];
  const { retryAfterMs } = options;
  return {
    kind,
    message: `Simulated failure: ${options.message ?? message}`,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
