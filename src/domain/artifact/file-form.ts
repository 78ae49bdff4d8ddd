import { changedLines } from './changed-lines.ts';
import { toLines } from './text-lines.ts';

const BOM = '\ufeff';

/**
 * A whole new text in the form of the file that it replaces: its byte order mark, its line endings, and
 * whether its last line has one. None of these can be seen in an answer, so a model never means to
 * change them; but a text that ends without a line break, or with an empty line, was written so on purpose.
 */
export function inFormOf(before: string, content: string): string {
  if (before === '') return content;
  const bare = content.startsWith(BOM) ? content.slice(1) : content;
  const plain = bare.replaceAll('\r\n', '\n');
  const [mark, old] = before.startsWith(BOM) ? [BOM, before.slice(1)] : ['', before];
  if (old === '') return mark + plain;
  const isOpen = /(?<!\n)\n$/.test(plain) && !old.endsWith('\n');
  const ended = isOpen ? plain.slice(0, -1) : plain;
  return mark + withEndings(old, ended);
}

function withEndings(old: string, text: string): string {
  const { lines, newline } = toLines(old);
  const returns = old.split('\r\n').length - 1;
  const feeds = old.split('\n').length - 1;
  if (returns === 0) return text;
  if (returns === feeds) return text.replaceAll('\n', '\r\n');
  // Both: lines that stay keep theirs, the others follow their neighbours.
  if (lines.length > 200_000) return text.replaceAll('\n', newline);
  let result = '';
  let at = 0;
  for (const { start, end, text: put } of changedLines(old, { start: 0, end: old.length }, text)) {
    result += old.slice(at, start) + put;
    at = end;
  }
  return result + old.slice(at);
}
