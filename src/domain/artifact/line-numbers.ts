// A file whose every line begins with its number was copied from a listing: those numbers are not part
// of the file.

const NUMBERED = /^\s{0,8}(\d{1,6})\s?[|:→\t]/;
const LEAST_LINES = 3;

export function hasLineNumbers(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length < LEAST_LINES) return false;
  const first = Number(NUMBERED.exec(lines[0]!)?.[1]);
  return lines.every((line, at) => Number(NUMBERED.exec(line)?.[1]) === first + at);
}
