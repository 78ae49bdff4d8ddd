// Most entries name one file and nothing else. Those need no pattern: the text is the path.

const MAX_LENGTH = 256;
const DOT = 46;
const SLASH = 47;

function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45
  );
}

/**
 * Whether an entry is surely a file whose path is the text as it stands. Anything unusual (a segment
 * that begins with a dot, a character beyond letters, digits, `_`, `-`) says no, and is read as a
 * pattern: slower, same meaning.
 */
export function isPlainFile(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH) return false;
  let segmentStart = 0;
  let lastDot = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === SLASH || code === DOT) {
      if (i === segmentStart) return false;
      if (code === SLASH) segmentStart = i + 1;
      else lastDot = i;
    } else if (!isWordCode(code)) return false;
  }
  return lastDot > segmentStart && segmentStart < text.length;
}
