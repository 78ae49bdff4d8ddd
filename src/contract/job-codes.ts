// Why jobs and executions fail: the one table of their codes. docs/errors.md is made from it,
// and it is where the code looks up whether another attempt can help.

/**
 * Who has to change something: the `provider` (its service, or the way to it), this `server`, the
 * `request` (its key, model or prompt), the model's `answer`, or the limits on `time` and `budget`.
 */
export type FailureCause = 'provider' | 'server' | 'request' | 'answer' | 'time' | 'budget';

interface FailureCodeRow {
  /** `job`: a job can end with it, and so can the execution that the job is a step of. */
  of: 'job' | 'execution';
  cause: FailureCause;
  /** Whether the same attempt can succeed later, without a change. */
  retryable: boolean;
  meaning: string;
}

export const FAILURE_CODES = {
  PROVIDER_AUTH: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The provider rejected the key.',
  },
  PROVIDER_BILLING: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The provider account has no credit left.',
  },
  PROVIDER_PERMISSION: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The key may not use this model.',
  },
  PROVIDER_MODEL_NOT_FOUND: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The provider has no such model.',
  },
  PROVIDER_BAD_REQUEST: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The provider rejected the request.',
  },
  PROVIDER_CONTEXT_LENGTH: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The prompt is too long for this model.',
  },
  PROVIDER_REFUSED: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The model or a content filter declined to answer.',
  },
  PROVIDER_RATE_LIMIT: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The provider limits this key, and the job ran out of time waiting.',
  },
  PROVIDER_OVERLOADED: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The provider is overloaded.',
  },
  PROVIDER_UPSTREAM: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The provider had a server error.',
  },
  PROVIDER_NETWORK: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The provider could not be reached.',
  },
  PROVIDER_INTERRUPTED: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The connection broke before the answer was complete.',
  },
  PROVIDER_PROTOCOL: {
    of: 'job',
    cause: 'provider',
    retryable: true,
    meaning: 'The provider sent an answer that could not be read.',
  },
  PROVIDER_TIMEOUT: {
    of: 'job',
    cause: 'time',
    retryable: true,
    meaning: 'The provider sent nothing for too long.',
  },
  PROVIDER_UNAVAILABLE: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'This server does not offer the provider of the job.',
  },
  NO_PROVIDER_KEY: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The provider key was removed, or can no longer be decrypted.',
  },
  TIMEOUT: {
    of: 'job',
    cause: 'time',
    retryable: true,
    meaning: 'The job or execution ran out of time.',
  },
  CANCELLED: { of: 'job', cause: 'request', retryable: false, meaning: 'The job was cancelled.' },
  WORKER_LOST: {
    of: 'job',
    cause: 'server',
    retryable: true,
    meaning: 'The server lost the job three times.',
  },
  ACCOUNT_SUSPENDED: {
    of: 'job',
    cause: 'request',
    retryable: false,
    meaning: 'The account or the team was suspended before the job started.',
  },
  RESERVE_USED: {
    of: 'job',
    cause: 'budget',
    retryable: true,
    meaning: 'An earlier attempt used the budget reserved for this call.',
  },
  INTERNAL_ERROR: {
    of: 'job',
    cause: 'server',
    retryable: false,
    meaning: 'Something went wrong on the server.',
  },
  ANSWER_UNPROCESSED: {
    of: 'job',
    cause: 'server',
    retryable: false,
    meaning:
      'The model answered, but the server failed to process the answer; `partialOutput` has it.',
  },
  PLAN_INVALID: {
    of: 'execution',
    cause: 'answer',
    retryable: false,
    meaning: 'The model gave no usable plan, twice.',
  },
  ARTIFACT_INVALID: {
    of: 'execution',
    cause: 'answer',
    retryable: false,
    meaning: 'A step gave changes that cannot be used, three times.',
  },
  ANSWER_CUT_OFF: {
    of: 'execution',
    cause: 'answer',
    retryable: false,
    meaning: 'The plan or a step needs more tokens than `maxTokens` or the model allows.',
  },
  STEP_GIVEN_UP: {
    of: 'execution',
    cause: 'answer',
    retryable: false,
    meaning: 'The model reports that a step cannot be done.',
  },
  CONFLICT: {
    of: 'execution',
    cause: 'answer',
    retryable: false,
    meaning:
      'Two independent steps changed the same file, or a step created a file that came with the task.',
  },
  MODEL_FORBIDDEN: {
    of: 'execution',
    cause: 'request',
    retryable: false,
    meaning: 'The team no longer allows the model.',
  },
  BUDGET_EXCEEDED: {
    of: 'execution',
    cause: 'budget',
    retryable: false,
    meaning: 'The next call could cost more than what is left of the budget.',
  },
} as const satisfies Record<string, FailureCodeRow>;

/** The `error.code` of an execution. */
export type FailureCode = keyof typeof FAILURE_CODES;

/** The `errorCode` of a job. */
export type JobCode = {
  [Code in FailureCode]: (typeof FAILURE_CODES)[Code]['of'] extends 'job' ? Code : never;
}[FailureCode];

/** Undefined for a code that is not in the table: one of a newer server, or of the HTTP API. */
export function failureOf(code: string): FailureCodeRow | undefined {
  return Object.hasOwn(FAILURE_CODES, code) ? FAILURE_CODES[code as FailureCode] : undefined;
}
