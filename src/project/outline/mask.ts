// The text of a source with everything blanked out that is not code, so that a brace in a string or a
// word in a comment is not taken for code. Of the same length, with the same lines.

interface Span {
  /** What ends it: a text, the end of the line, or nothing when the opening is all of it. */
  end: { text: string } | 'line' | 'opening';
  /** A backslash takes the next character with it. */
  hasEscapes?: boolean;
  /** Not closed on its line, it ends there: the rest of the file must not be lost with it. */
  isOneLine?: boolean;
  /** The same opening inside of it needs an end of its own. */
  isNested?: boolean;
}

export interface Syntax {
  /** Global; whatever opens a span, the longest first. */
  opening: RegExp;
  spanOf(opening: string): Span;
}

function endOf(text: string, from: number, opening: string, span: Span): number {
  const { end: ending, hasEscapes = false, isOneLine = false, isNested = false } = span;
  if (ending === 'opening') return from;
  if (ending === 'line') {
    const lineEnd = text.indexOf('\n', from);
    return lineEnd < 0 ? text.length : lineEnd;
  }
  const end = ending.text;
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (hasEscapes && text[at] === '\\') at += 1;
    else if (text.startsWith(end, at)) {
      open -= 1;
      at += end.length - 1;
      if (open === 0) return at + 1;
    } else if (isOneLine && text[at] === '\n') return at;
    else if (isNested && text.startsWith(opening, at)) {
      open += 1;
      at += opening.length - 1;
    }
  }
  return text.length;
}

const blanked = (text: string) => text.replace(/[^\n]/g, ' ');

export function mask(text: string, { opening, spanOf }: Syntax): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    opening.lastIndex = from;
    const found = opening.exec(text);
    if (found === null) break;
    const end = endOf(text, found.index + found[0].length, found[0], spanOf(found[0]));
    parts.push(text.slice(from, found.index), blanked(text.slice(found.index, end)));
    from = end;
  }
  return [...parts, text.slice(from)].join('');
}
