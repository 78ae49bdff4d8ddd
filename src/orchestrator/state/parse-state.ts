// A file of our own state, read as if it had been edited by hand.
import type { z } from 'zod';
import { StateDamagedError } from './state-errors.ts';

export function parseState<T>(file: string, text: string, shape: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new StateDamagedError(file, 'it is not JSON');
  }
  const parsed = shape.safeParse(value);
  // What is in the file, not a copy in another order: records are compared as they were written.
  if (parsed.success) return value as T;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'what is in it';
  throw new StateDamagedError(file, `${place} is missing or wrong`);
}
