// What the server says about one field of a form.
import { MillraceError } from '../../src/client/index.ts';

interface Detail {
  path?: string;
  message?: string;
}

/** Undefined when the error is about something else. `field` as in `options.maxSteps`. */
export function problemOf(error: unknown, field: string): string | undefined {
  const details = error instanceof MillraceError ? error.details : undefined;
  const fields = Array.isArray(details) ? (details as Detail[]) : [];
  return fields.find(({ path }) => path === field)?.message;
}
