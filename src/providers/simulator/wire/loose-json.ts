// Reads what may be anything: bodies of requests are taken as far as they make sense.

export type Json = Record<string, unknown>;

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A string, or undefined for anything else and for an empty one. */
export function name(value: unknown): string | undefined {
  return text(value) || undefined;
}

export function strings(value: unknown): string[] {
  const all = typeof value === 'string' ? [value] : list(value);
  return all.filter((each) => typeof each === 'string' && each !== '') as string[];
}
