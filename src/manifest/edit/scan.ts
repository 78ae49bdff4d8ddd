// Steps over text that carries no values, and finds the ends of lines.

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r' || char === '\uFEFF';
}

/** The next place that is neither white space nor in a comment. */
export function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (isBlank(text[at])) at++;
    const isComment = text[at] === '#' && (at === 0 || isBlank(text[at - 1]));
    if (!isComment) return at;
    at = lineEnd(text, at);
  }
}

export function lineStart(text: string, at: number): number {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  return text[start] === '\uFEFF' ? start + 1 : start;
}

/** The place of the line break, without a carriage return before it, or the end of the text. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

/** The start of the next line, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** What stands before a place on its line if that is nothing but spaces. */
export function paddingAt(text: string, at: number): string | undefined {
  const before = text.slice(lineStart(text, at), at);
  return /^ *$/.test(before) ? before : undefined;
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
