const MAX_BLANKS = 8;
const MAX_CHARACTERS = 6;

/** Cuts a text into the pieces that the simulator counts as tokens: put together they give it back. */
export function* pieces(text: string): Generator<string, void> {
  let start = 0;
  while (start < text.length) {
    let end = start;
    while (end < text.length && end - start < MAX_BLANKS && isBlank(text.charCodeAt(end))) end++;
    const wordEnd = end + MAX_CHARACTERS;
    while (end < text.length && end < wordEnd && !isBlank(text.charCodeAt(end))) end++;
    // A reader may turn each delta into bytes by itself, so a character is never cut in two.
    if (isPair(text, end)) end++;
    yield text.slice(start, end);
    start = end;
  }
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isPair(text: string, cut: number): boolean {
  const before = text.charCodeAt(cut - 1);
  const after = text.charCodeAt(cut);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
