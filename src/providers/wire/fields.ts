// JSON from a vendor's server: anything may be missing, or of another kind than documented.

export type Fields = Record<string, unknown>;

/** The fields of an object, or nothing. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** No call is that large. A figure beyond it, or a fraction, could not be stored with the job. */
const MOST_TOKENS = 100_000_000;

export const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;

/** Zero for a figure that is not there or makes no sense. */
export const countOf = (value: unknown): number => (isCount(value) ? value : 0);

/** Adds a piece to a text that comes in pieces. */
export function append(fields: Fields, name: string, piece: unknown): void {
  if (typeof piece === 'string') fields[name] = (textOf(fields[name]) ?? '') + piece;
}

/** Undefined for what is nested too deep to be written. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
