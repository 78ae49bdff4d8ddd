// Pieces that the descriptions of many routes share.
import { z } from 'zod';
import { ERROR_CODES } from '../contract/errors.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { ErrorBody } from '../contract/error-body.ts';
import { IdempotencyKey } from '../contract/fields.ts';

type ErrorResponses = Record<number, { description: string; content: object }>;

/** The error responses of a route, grouped by status; every route has the general ones. */
export function errorResponses(...codes: ErrorCode[]): ErrorResponses {
  const responses: ErrorResponses = {};
  const all: ErrorCode[] = [...codes, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
  for (const code of all) {
    const { status, meaning } = ERROR_CODES[code];
    const before = responses[status]?.description;
    responses[status] = {
      description: before ? `${before} ${code}: ${meaning}` : `${code}: ${meaning}`,
      content: { 'application/json': { schema: ErrorBody } },
    };
  }
  return responses;
}

/** What any authenticated route may answer. */
export const ACCESS_ERRORS = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMITED',
] as const;

/** Of any method that may carry a body, wanted or not. */
export const BODY_ERRORS = [
  'VALIDATION_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

export const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});

/** A provider key for one request; the same rule as for a stored one. */
export const ProviderKeyHeader = {
  'x-provider-key': z
    .string()
    .regex(/^[\x21-\x7e]{8,500}$/, 'must be 8 to 500 characters without blanks')
    .optional()
    .meta({ description: 'Provider key for this job only; erased when the job ends' }),
};

export const IdempotencyHeaders = z.object({
  'idempotency-key': IdempotencyKey.optional().meta({
    description: 'A repeated request with the same key gets the first response again, for 24 hours',
  }),
});
