// A part of a file and the text that takes its place, as the smallest replacements: lines that stay
// are left alone byte for byte, and lines that come get the ending of their neighbours.
import { compareLines } from '../diff/compare-lines.ts';

export interface Replacement {
  start: number;
  end: number;
  text: string;
}

export interface Part {
  start: number;
  end: number;
}

/** `normal`: lines that are the same in this form stay as the file has them. */
export function changedLines(
  text: string,
  part: Part,
  newText: string,
  normal: (line: string) => string = (line) => line,
): Replacement[] {
  const old = piecesOf(text.slice(part.start, part.end));
  const now = newText.replaceAll('\r\n', '\n').split('\n');
  const { removed, added } = compareLines(
    old.map(({ line, ending }) => normal(line) + (ending === '' ? '' : '\n')),
    now.map((line, i) => normal(line) + (i === now.length - 1 ? '' : '\n')),
  );
  const around = endingAround(text, part);
  const replacements: Replacement[] = [];
  let at = part.start;
  let ending = around;
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (!removed[i] && !added[j]) {
      const piece = old[i]!;
      at += piece.line.length + piece.ending.length;
      ending = piece.ending || ending;
      i += 1;
      j += 1;
      continue;
    }
    const start = at;
    if (removed[i]) ending = old[i]!.ending || ending;
    while (removed[i]) {
      at += old[i]!.line.length + old[i]!.ending.length;
      i += 1;
    }
    let inserted = '';
    for (; added[j]; j++) inserted += now[j]! + (j === now.length - 1 ? '' : ending);
    // Without the ending that both have, so that the same change is the same wherever its part ends.
    const shared = inserted !== '' && at > start && inserted.endsWith(ending) ? ending.length : 0;
    const isShared = shared > 0 && text.slice(start, at).endsWith(ending);
    const cut = isShared ? shared : 0;
    replacements.push({ start, end: at - cut, text: inserted.slice(0, inserted.length - cut) });
  }
  return replacements;
}

interface Piece {
  line: string;
  ending: '' | '\n' | '\r\n';
}

function piecesOf(text: string): Piece[] {
  const pieces = text.split('\n');
  return pieces.map((line, i) => {
    if (i === pieces.length - 1) return { line, ending: '' };
    return line.endsWith('\r')
      ? { line: line.slice(0, -1), ending: '\r\n' }
      : { line, ending: '\n' };
  });
}

/** How the line ends that the part ends in; for a last line, the one before it. */
function endingAround(text: string, { start, end }: Part): '\n' | '\r\n' {
  const after = text.indexOf('\n', end);
  const feed = after >= 0 ? after : text.lastIndexOf('\n', Math.max(0, start - 1));
  return feed > 0 && text[feed - 1] === '\r' ? '\r\n' : '\n';
}
