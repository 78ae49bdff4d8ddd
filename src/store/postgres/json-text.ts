// Text that must survive exactly, whatever it holds, is stored as a JSON string: NUL and lone
// surrogates become escapes, which PostgreSQL takes where it refuses the characters themselves.

export function toJsonText(text: string): string {
  return JSON.stringify(text);
}

export function fromJsonText(json: string): string {
  return JSON.parse(json) as string;
}
