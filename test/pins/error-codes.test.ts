import { describe, expect, it } from 'vitest';
import { readDoc } from '../../scripts/gen-docs.ts';
import { ERROR_CODES } from '../../src/contract/errors.ts';
import { FAILURE_CODES } from '../../src/contract/job-codes.ts';
import { verifies } from '../support/verifies.ts';

/** Clients depend on these pairs: they are added to, never changed. */
const PROMISED = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 402,
  VALIDATION_ERROR: 400,
  INTERNAL_ERROR: 500,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  PAYLOAD_TOO_LARGE: 413,
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  SERVICE_UNAVAILABLE: 503,
  ACCOUNT_SUSPENDED: 403,
};

describe('the error codes', () => {
  it('are the promised ones, each with its HTTP status', () => {
    verifies('http.error.table', 'http.error.further-codes');
    const actual = Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(actual)).toEqual(PROMISED);
  });

  it('are all in docs/errors.md, and nothing else is', () => {
    const rows = readDoc('docs/errors.md').matchAll(/^\| `([A-Z_]+)` +\| (\d{3}) /gm);
    const documented = [...rows].map(([, code, status]) => [code, Number(status)]);
    expect(Object.fromEntries(documented)).toEqual(PROMISED);
  });
});

/** Of failed jobs and executions, with whether another attempt can help. Added to, never changed. */
const PROMISED_FAILURES = {
  PROVIDER_AUTH: false,
  PROVIDER_BILLING: false,
  PROVIDER_PERMISSION: false,
  PROVIDER_MODEL_NOT_FOUND: false,
  PROVIDER_BAD_REQUEST: false,
  PROVIDER_CONTEXT_LENGTH: false,
  PROVIDER_REFUSED: false,
  PROVIDER_RATE_LIMIT: true,
  PROVIDER_OVERLOADED: true,
  PROVIDER_UPSTREAM: true,
  PROVIDER_NETWORK: true,
  PROVIDER_INTERRUPTED: true,
  PROVIDER_PROTOCOL: true,
  PROVIDER_TIMEOUT: true,
  PROVIDER_UNAVAILABLE: false,
  NO_PROVIDER_KEY: false,
  TIMEOUT: true,
  CANCELLED: false,
  WORKER_LOST: true,
  ACCOUNT_SUSPENDED: false,
  RESERVE_USED: true,
  INTERNAL_ERROR: false,
  ANSWER_UNPROCESSED: false,
  PLAN_INVALID: false,
  ARTIFACT_INVALID: false,
  ANSWER_CUT_OFF: false,
  STEP_GIVEN_UP: false,
  CONFLICT: false,
  MODEL_FORBIDDEN: false,
  BUDGET_EXCEEDED: false,
};

describe('the codes of failed jobs and executions', () => {
  it('are the promised ones', () => {
    const actual = Object.entries(FAILURE_CODES).map(([code, row]) => [code, row.retryable]);
    expect(Object.fromEntries(actual)).toEqual(PROMISED_FAILURES);
  });

  it('are all in docs/errors.md, and nothing else is', () => {
    const rows = readDoc('docs/errors.md').matchAll(
      /^\| `([A-Z_]+)` +\| (?:jobs, )?executions +\| (yes|no) /gm,
    );
    const documented = [...rows].map(([, code, retryable]) => [code, retryable === 'yes']);
    expect(Object.fromEntries(documented)).toEqual(PROMISED_FAILURES);
  });
});
