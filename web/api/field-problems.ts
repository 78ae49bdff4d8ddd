// What the server says about one field of a form.
import { MillraceError } from '../../src/client/index.ts';

interface Detail {
  path?: string;
  message?: string;
}

function detailsOf(error: unknown): Detail[] {
  const details = error instanceof MillraceError ? error.details : undefined;
  return Array.isArray(details) ? (details as Detail[]) : [];
}

/** Undefined when the error is about something else. `field` as in `options.maxSteps`. */
export function problemOf(error: unknown, field: string): string | undefined {
  return detailsOf(error).find(({ path }) => path === field)?.message;
}

/** The same for a field with several values, any of which may be what is wrong. */
export function problemWithin(error: unknown, field: string): string | undefined {
  const found = detailsOf(error).find(({ path }) => path?.startsWith(`${field}.`));
  return problemOf(error, field) ?? found?.message;
}
