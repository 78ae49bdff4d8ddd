import { expect } from 'vitest';
import { ERROR_CODES } from '../../src/contract/errors.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';

export interface ShownError {
  code: string;
  message: string;
  details?: { path: string; code: string; message: string }[];
}

/** Holds an answer to the one shape that errors have, and returns the error. */
export function expectError(
  answer: { status: number; body: Record<string, unknown> },
  code: ErrorCode,
): ShownError {
  expect(answer.body, JSON.stringify(answer.body)).toEqual({ error: expect.anything() });
  const error = answer.body['error'] as ShownError;
  expect(error.code, error.message).toBe(code);
  expect(answer.status).toBe(ERROR_CODES[code].status);
  expect(error.message).toMatch(/\S/);
  expect(
    Object.keys(error).filter((name) => !['code', 'message', 'details'].includes(name)),
  ).toEqual([]);
  return error;
}

/** A VALIDATION_ERROR whose details name this place. */
export function expectInvalid(
  answer: { status: number; body: Record<string, unknown> },
  path: string,
): ShownError {
  const error = expectError(answer, 'VALIDATION_ERROR');
  const paths = (error.details ?? []).map((detail) => detail.path);
  expect(paths, error.message).toContain(path);
  return error;
}
