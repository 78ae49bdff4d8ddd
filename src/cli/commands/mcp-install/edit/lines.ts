// Lines and blanks of a text, for edits that leave every other byte of it alone.

/** The line break that a text uses. */
export function lineBreakOf(source: string): string {
  return /\r\n|\n|\r/.exec(source)?.[0] ?? '\n';
}

export function isLineBreak(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

export function lineStart(source: string, at: number): number {
  let start = at;
  while (start > 0 && !isLineBreak(source[start - 1])) start -= 1;
  return start;
}

/** Where the line break is, or the text ends. */
export function lineEnd(source: string, at: number): number {
  let end = at;
  while (end < source.length && !isLineBreak(source[end])) end += 1;
  return end;
}

/** Behind the line break at this place, if there is one. */
export function afterLineBreak(source: string, at: number): number {
  if (source.startsWith('\r\n', at)) return at + 2;
  return isLineBreak(source[at]) ? at + 1 : at;
}

/** In front of the line break that ends at this place, if there is one. */
export function beforeLineBreak(source: string, at: number): number {
  if (at >= 2 && source.startsWith('\r\n', at - 2)) return at - 2;
  return isLineBreak(source[at - 1]) ? at - 1 : at;
}

/** The blanks at the beginning of the line. */
export function indentAt(source: string, at: number): string {
  const start = lineStart(source, at);
  let end = start;
  while (isBlank(source[end])) end += 1;
  return source.slice(start, end);
}
