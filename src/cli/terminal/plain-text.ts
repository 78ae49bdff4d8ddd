// Text of others on a terminal: no escape sequence, no line break, no turned direction gets through.

export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

/** At most `width` characters; what was cut off is marked. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  // Not in the middle of a character that takes two places.
  return `${text.slice(0, Math.max(0, width - 1)).replace(/[\ud800-\udbff]$/, '')}~`;
}

/** Words in lines of at most `width` characters, each with this in front. */
export function wrap(words: readonly string[], width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, indent + line];
}
