// A unified diff for a terminal: coloured, and with nothing in it that the terminal would obey.
import type { Paint, Style } from './output.ts';

function styleOf(line: string): Style | undefined {
  if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file)/.test(line)) return 'bold';
  if (line.startsWith('@@')) return 'cyan';
  if (line.startsWith('+')) return 'green';
  return line.startsWith('-') ? 'red' : undefined;
}

/** Tabs and line ends stay; other control characters are shown as a box. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) =>
    found === '\n' || found === '\t' ? found : '\ufffd',
  );
}

export function colourDiff(diff: string, paint: Paint): string {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const style = styleOf(line);
      const shown = harmless(line);
      return style === undefined ? shown : paint(style, shown);
    })
    .join('\n');
}
