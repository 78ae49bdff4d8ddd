// Passwords in URLs, found in one pass. A pattern that looks for a scheme in front of each `://` reads
// long words again from every one of their letters, and outside text can be one long word.

const MARK = '://';
const RUN_END = /[\s"]/g;
const STOPS = /[:/@]/g;

function nextMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/**
 * Replaces the password in `scheme://user:password@host`. It reaches to the last @ before a blank or a
 * quote: a password that was not encoded may hold one itself.
 */
export function hideUrlPasswords(text: string, replacement: string): string {
  let shown = '';
  let copied = 0;
  let runEnd = 0;
  let lastAt = -1;
  for (let mark = text.indexOf(MARK); mark >= 0; mark = text.indexOf(MARK, mark + 1)) {
    if (mark >= runEnd) {
      runEnd = nextMatch(RUN_END, text, mark);
      lastAt = mark + text.slice(mark, runEnd).lastIndexOf('@');
    }
    const stop = nextMatch(STOPS, text, mark + MARK.length);
    if (text[stop] !== ':' || stop + 1 >= lastAt || !/[a-z0-9+.-]/i.test(text[mark - 1] ?? ''))
      continue;
    shown += text.slice(copied, stop + 1) + replacement;
    copied = lastAt;
    mark = lastAt;
  }
  return shown + text.slice(copied);
}
