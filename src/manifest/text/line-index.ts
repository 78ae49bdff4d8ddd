// From places in a text to lines and columns, as editors count them.

export interface Position {
  line: number;
  column: number;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Where each line begins; a line ends with LF, CR LF or CR. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) starts.push(index + end.length);
  return starts;
}

export function createLineIndex(text: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    const column = offset - starts[low]! + 1;
    // Editors do not show the mark at the start of a file.
    const isMarked = low === 0 && text.charCodeAt(0) === BYTE_ORDER_MARK;
    return { line: low + 1, column: Math.max(1, isMarked ? column - 1 : column) };
  };
}
