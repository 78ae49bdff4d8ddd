// A text as lines with their places in it.

export interface TextLines {
  /** Without their endings. */
  lines: string[];
  starts: number[];
  /** Where each line ends, before and after its ending. */
  ends: number[];
  nexts: number[];
  /** The ending that most lines have. */
  newline: '\n' | '\r\n';
}

export function toLines(text: string): TextLines {
  const result: TextLines = { lines: [], starts: [], ends: [], nexts: [], newline: '\n' };
  let carriageReturns = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const next = feed < 0 ? text.length : feed + 1;
    const hasReturn = feed > start && text[feed - 1] === '\r';
    const end = feed < 0 ? text.length : hasReturn ? feed - 1 : feed;
    if (hasReturn) carriageReturns += 1;
    result.lines.push(text.slice(start, end));
    result.starts.push(start);
    result.ends.push(end);
    result.nexts.push(next);
    start = next;
  }
  if (carriageReturns * 2 > result.lines.length) result.newline = '\r\n';
  return result;
}
