// Ids of models with `*` for any characters. The parts between the stars are searched once each, from left to right, so
// the time grows with the length of the id; a regular expression made of data might take for ever.

/** No vendor has longer ones. */
export const LONGEST_ID = 200;

export const isGlob = (id: string) => id.includes('*');

export function matchesGlob(glob: string, id: string): boolean {
  const parts = glob.split('*');
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return id === glob;
  if (id.length < first.length + last.length) return false;
  if (!id.startsWith(first) || !id.endsWith(last)) return false;
  const end = id.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = id.indexOf(part, at);
    // The earliest place leaves the most for the parts after it.
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
