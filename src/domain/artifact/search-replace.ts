import { endOfLine, trimBlanks } from './fences.ts';

// One SEARCH/REPLACE block of the plain-text format. Its three marker lines have the same number of
// characters, seven or more, so a text that holds such lines itself (a merge conflict, an underlined
// heading) is written with longer ones.

const MIN_MARKER = 7;
const WORDS: Record<string, readonly string[]> = {
  '<': ['SEARCH', 'SEARCH ALL'],
  '=': [''],
  '>': ['REPLACE'],
};

export interface Marker {
  character: string;
  length: number;
  word: string;
}

export type SearchReplace =
  | { kind: 'read'; oldText: string; newText: string; next: number }
  | { kind: 'broken'; problem: string; next: number };

export function readMarker(line: string): Marker | undefined {
  const character = line.charAt(0);
  const words = WORDS[character];
  if (words === undefined) return undefined;
  const length = leadingRun(line, 0);
  const word = trimBlanks(line.slice(length));
  return length >= MIN_MARKER && words.includes(word) ? { character, length, word } : undefined;
}

/** Reads on from the line after the SEARCH marker, whose length is given. */
export function readSearchReplace(text: string, from: number, length: number): SearchReplace {
  let divider = -1;
  let replaceFrom = -1;
  for (let start = from; start < text.length;) {
    const end = endOfLine(text, start);
    const marker = markerAt(text, start, end);
    if (marker?.length === length) {
      const expected = divider < 0 ? '=' : '>';
      if (marker.character !== expected) {
        const problem =
          divider < 0
            ? 'a SEARCH block has no ======= line before the next marker'
            : 'a REPLACE part holds another marker line of the same length; use longer markers';
        return { kind: 'broken', problem, next: start };
      }
      if (divider >= 0) {
        const parts = {
          search: text.slice(from, divider),
          replace: text.slice(replaceFrom, start),
        };
        return { kind: 'read', ...joinParts(parts), next: end + 1 };
      }
      divider = start;
      replaceFrom = end + 1;
    }
    start = end + 1;
  }
  // Everything was read in vain: going on from the end keeps the whole search linear.
  return { kind: 'broken', problem: 'a SEARCH block is never closed', next: text.length };
}

/** The shortest marker that no line of these texts can be taken for. */
export function markerLengthFor(texts: readonly string[]): number {
  let longest = MIN_MARKER - 1;
  for (const text of texts) {
    for (let start = 0; start < text.length; start = endOfLine(text, start) + 1) {
      if (text.charAt(start) in WORDS) longest = Math.max(longest, leadingRun(text, start));
    }
  }
  return longest + 1;
}

function markerAt(text: string, start: number, end: number): Marker | undefined {
  return text.charAt(start) in WORDS ? readMarker(text.slice(start, end)) : undefined;
}

function leadingRun(text: string, from: number): number {
  const code = text.charCodeAt(from);
  let at = from;
  while (text.charCodeAt(at) === code) at++;
  return at - from;
}

/**
 * The line break before the next marker belongs to the marker, so any text can be written, also one
 * without a line break at its end. A REPLACE part without any line removes the searched lines
 * together with their line break; one with a single empty line leaves an empty line.
 */
function joinParts(parts: { search: string; replace: string }): {
  oldText: string;
  newText: string;
} {
  const search = parts.search.slice(0, -1);
  if (parts.replace === '' && search !== '') return { oldText: `${search}\n`, newText: '' };
  return { oldText: search, newText: parts.replace.slice(0, -1) };
}
