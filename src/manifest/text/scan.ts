// One quick look at the characters before anything is parsed: what must not be there, and whether
// there can be so many values that parsing them would fill the memory.
import type { ManifestLimits } from './limits.ts';
import type { Finding } from './problem-list.ts';

const FORBIDDEN = 1;
const STRUCTURAL = 2;

/** Characters below 128. Every value of a document needs one of the structural ones around it. */
const CLASSES = new Uint8Array(128);
CLASSES.fill(FORBIDDEN, 0, 32);
for (const char of '\t\r') CLASSES[char.charCodeAt(0)] = 0;
CLASSES[127] = FORBIDDEN;
for (const char of '\n,[{') CLASSES[char.charCodeAt(0)] = STRUCTURAL;

const NEXT_LINE = 0x85;

function isForbiddenHigh(code: number): boolean {
  return (code < 0xa0 && code !== NEXT_LINE) || code === 0xfffe || code === 0xffff;
}

function tooLarge(limits: ManifestLimits): Finding {
  const mebibytes = Math.floor(limits.maxBytes / 1024 / 1024);
  const size = mebibytes > 0 ? `${mebibytes} MiB` : `${limits.maxBytes} bytes`;
  return {
    code: 'TOO_LARGE',
    message: `The manifest is larger than ${size}.`,
    hint: 'Split it into several manifests.',
    path: [],
  };
}

function forbidden(code: number, offset: number): Finding {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return {
    code: 'CONTROL_CHARACTER',
    message: `The text contains a control character (${name}).`,
    hint: 'Remove it, or write it as an escape within double quotes.',
    path: [],
    offset,
  };
}

export function scanText(text: string, limits: ManifestLimits): Finding | undefined {
  if (text.length > limits.maxBytes) return tooLarge(limits);
  let bytes = text.length;
  let structural = 0;
  let lineBreaks = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      const found = CLASSES[code];
      if (found === STRUCTURAL) structural += 1;
      else if (found === FORBIDDEN) return forbidden(code, i);
      else if (code === 13) lineBreaks += 1;
      continue;
    }
    // A pair of surrogates is four bytes for two units; everything else beyond U+07FF is three.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
    if (isForbiddenHigh(code)) return forbidden(code, i);
  }
  if (bytes > limits.maxBytes) return tooLarge(limits);
  // Lines may end with CR alone; with CR LF both are counted, which is only stricter on huge texts.
  if (structural + lineBreaks > limits.maxNodes) return tooManyValues(limits);
  return undefined;
}

export function tooManyValues({ maxNodes }: ManifestLimits): Finding {
  return {
    code: 'TOO_MANY_VALUES',
    message: `The manifest has more than ${maxNodes} values.`,
    hint: 'Split it into several manifests.',
    path: [],
  };
}
