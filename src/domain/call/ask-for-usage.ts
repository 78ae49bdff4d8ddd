// A streamed chat completion says what it used only when it is asked to. This adds the question to the body and leaves
// every other byte as it came.

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);
const FIELD = 'stream_options';

function endOfText(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Where the value of the field is, of a body that is one object and valid. */
function findValue(body: Buffer): { from: number; to: number } | undefined {
  let depth = 0;
  let isKeyNext = false;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      const end = endOfText(body, at);
      const isField =
        depth === 1 && isKeyNext && JSON.parse(body.toString('utf8', at, end)) === FIELD;
      isKeyNext = false;
      at = end - 1;
      if (isField) return valueAfter(body, end);
    } else if (OPEN.has(byte)) {
      depth += 1;
      isKeyNext = depth === 1;
    } else if (CLOSE.has(byte)) depth -= 1;
    else if (byte === COMMA && depth === 1) isKeyNext = true;
  }
  return undefined;
}

function valueAfter(body: Buffer, keyEnd: number): { from: number; to: number } {
  let from = body.indexOf(COLON, keyEnd) + 1;
  while (SPACES.has(body[from]!)) from += 1;
  let depth = 0;
  let at = from;
  for (; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === QUOTE) at = endOfText(body, at) - 1;
    else if (OPEN.has(byte)) depth += 1;
    else if (CLOSE.has(byte)) {
      if (depth === 0) break;
      depth -= 1;
    } else if (byte === COMMA && depth === 0) break;
  }
  return { from, to: at };
}

export function askForUsage(body: Buffer): Buffer {
  const found = findValue(body);
  if (found === undefined) {
    const open = body.indexOf('{') + 1;
    const isEmpty = /^\s*\}/.test(body.toString('latin1', open, open + 100));
    const added = `"${FIELD}":{"include_usage":true}${isEmpty ? '' : ','}`;
    return Buffer.concat([body.subarray(0, open), Buffer.from(added), body.subarray(open)]);
  }
  const before = JSON.parse(body.toString('utf8', found.from, found.to)) as object | null;
  const options = JSON.stringify({ ...before, include_usage: true });
  return Buffer.concat([
    body.subarray(0, found.from),
    Buffer.from(options),
    body.subarray(found.to),
  ]);
}
