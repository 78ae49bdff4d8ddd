// What may be shown of a provider key.

const VENDOR_PREFIXES = ['sk-ant-', 'sk-proj-', 'sk-or-', 'sk-', 'AIza'];

/** Fewer hidden characters could be guessed. */
const LEAST_HIDDEN = 4;

export function maskKey(key: string): string {
  const prefix = VENDOR_PREFIXES.find((known) => key.startsWith(known)) ?? key.slice(0, 3);
  if (key.length < prefix.length + LEAST_HIDDEN + 4) return `${key.slice(0, 3)}...`;
  return `${prefix}...${key.slice(-4)}`;
}
