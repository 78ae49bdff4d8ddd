// What the parser of JSON does not say about a body: that an object has a key twice, of which one reader takes the first
// and another the last, and that it has more parts or levels than any honest body. Decided from the bytes, in one pass.

const MAX_DEPTH = 1000;
/** More cost seconds to parse. */
const MAX_PARTS = 1_000_000;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Keys of plain letters are themselves; others are compared as what they mean. */
const isPlain = (key: string) => /^[ !#-[\]-~]*$/.test(key);

/** As it is meant; undefined where it is no text. */
function keyOf(raw: string, bytes: () => string): string | undefined {
  if (isPlain(raw)) return raw;
  try {
    return JSON.parse(`"${bytes()}"`) as string;
  } catch {
    return undefined;
  }
}

/** A sentence about the body, or nothing. What is no JSON at all is for the parser to say. */
export function problemOfJson(body: Buffer): string | undefined {
  /** The keys of each open object; nothing for a list. */
  const open: (Set<string> | undefined)[] = [];
  let parts = 0;
  let isKeyNext = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) {
      const from = at + 1;
      for (at = from; at < body.length && body[at] !== QUOTE; at++)
        if (body[at] === BACKSLASH) at += 1;
      const keys = open.at(-1);
      if (!isKeyNext || keys === undefined) continue;
      isKeyNext = false;
      const to = at;
      const key = keyOf(body.toString('latin1', from, to), () => body.toString('utf8', from, to));
      if (key === undefined) return undefined;
      if (key === '__proto__') return 'The field name "__proto__" is not allowed.';
      if (keys.has(key)) return `The field "${key.slice(0, 100)}" is there twice. Send it once.`;
      keys.add(key);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(byte === OPEN_OBJECT ? new Set() : undefined);
      isKeyNext = byte === OPEN_OBJECT;
      parts += 1;
      if (open.length > MAX_DEPTH) return 'The body is nested deeper than 1,000 levels.';
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      open.pop();
      isKeyNext = false;
    } else if (byte === COMMA) isKeyNext = open.at(-1) !== undefined;
    else if (byte === COLON) parts += 1;
    if (parts > MAX_PARTS) return 'The body has more than 1,000,000 fields and lists.';
  }
  return undefined;
}
