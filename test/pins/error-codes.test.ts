import { describe, expect, it } from 'vitest';
import { readDoc } from '../../scripts/gen-docs.ts';
import { ERROR_CODES } from '../../src/contract/errors.ts';
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
