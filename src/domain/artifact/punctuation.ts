// Typographic punctuation, which editors, chats and models put in place of what is on a keyboard.

/** As a program quotes: after an equals sign or a bracket, or before what ends a statement. */
const AS_CODE = /[=([{][ ]?[\u2018\u2019\u201a\u201c\u201d\u201e]|[\u2019\u201d][;)\]}]/;
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/\u2026/g, '...'],
];

export function plainPunctuation(text: string): string {
  let plain = text;
  for (const [pattern, character] of CLASSES) plain = plain.replace(pattern, character);
  return plain;
}

/**
 * The new lines in the punctuation of the file: where the searched text has typographic signs and the
 * file has plain ones, the new text has them for the same reason. Undefined when it is unclear.
 */
export function fitPunctuation(
  file: { part: string; whole: string },
  search: string,
  replace: string,
): string | undefined {
  let fitted = replace;
  let hasQuotes = false;
  for (const [pattern, character] of CLASSES) {
    const isQuote = character === "'" || character === '"';
    const isMistaken = has(pattern, search) && !has(pattern, file.part);
    if (isMistaken && isQuote) hasQuotes = true;
    if (isMistaken) fitted = fitted.replace(pattern, character);
  }
  if (hasQuotes) fitted = fitted.replace(CLASSES[0]![0], "'").replace(CLASSES[1]![0], '"');
  // As quotes of a program, in a file that has none of these: that was not meant.
  return AS_CODE.test(fitted) && !AS_CODE.test(file.whole) ? undefined : fitted;
}

function has(pattern: RegExp, text: string): boolean {
  return text.search(pattern) >= 0;
}
