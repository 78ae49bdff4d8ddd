import type { TextEdit } from '../../contract/artifact.ts';
import { endOfLine, trimBlanks } from './fences.ts';

// One SEARCH/REPLACE block. In our own format its three marker lines have the same number of
// characters, so a text that holds such lines itself (a merge conflict, an underlined heading) is
// written with longer ones. Models know several other spellings of the same thing.

/** Our own. */
const MIN_MARKER = 7;
/** Others'. */
const LEAST_MARKER = 5;
const OLD_WORDS = new Set(['SEARCH', 'ORIGINAL', 'HEAD', 'OLD', 'BEFORE', 'FIND', 'CURRENT']);
const NEW_WORDS = new Set(['REPLACE', 'UPDATED', 'NEW', 'AFTER', 'REPLACEMENT', 'INCOMING']);
const MARKER_CHARACTERS = '<=>-+';

export interface Marker {
  role: 'old' | 'divider' | 'new';
  character: string;
  length: number;
  /** Of an opening one: every place is meant. */
  all: boolean;
  /** What else the line says: a path. */
  rest: string;
}

export type SearchReplace =
  | { kind: 'read'; oldText: string; newText: string; next: number }
  | { kind: 'broken'; problem: string; next: number };

export function readMarker(line: string): Marker | undefined {
  const character = line.charAt(0);
  if (character === '' || !MARKER_CHARACTERS.includes(character)) return undefined;
  const length = leadingRun(line, 0);
  if (length < LEAST_MARKER || line.length - length > 1000) return undefined;
  const after = trimBlanks(line.slice(length));
  const marker = (role: Marker['role'], all = false, rest = ''): Marker => ({
    role,
    character,
    length,
    all,
    rest,
  });
  if (character === '=') return after === '' ? marker('divider') : undefined;
  const [first = '', ...others] = after.replace(/^>|[>:]$/, '').split(' ');
  const word = first.toUpperCase();
  const rest = others.join(' ');
  if (character === '<' || character === '-') {
    if (!OLD_WORDS.has(word) || (character === '-' && word !== 'SEARCH')) return undefined;
    const all = rest.toUpperCase() === 'ALL';
    return marker('old', all, all ? '' : rest);
  }
  if (character === '+') return word === 'REPLACE' ? marker('new') : undefined;
  // The end of a merge conflict has the name of a branch.
  return NEW_WORDS.has(word) || after === '' || (others.length === 0 && length >= MIN_MARKER)
    ? marker('new')
    : undefined;
}

const NEVER_CLOSED = 'a SEARCH block is never closed';

/** Reads on from the line after the SEARCH marker. */
export function readSearchReplace(text: string, from: number, opener: Marker): SearchReplace {
  const strict = readParts(text, from, (marker) => marker.length === opener.length, opener);
  if (strict.kind === 'read' || opener.length > 9) return strict;
  // Markers of different lengths: when there is only one way to read them.
  const loose = readParts(text, from, () => true, opener);
  return loose.kind === 'read' ? loose : strict;
}

function readParts(
  text: string,
  from: number,
  counts: (marker: Marker) => boolean,
  opener: Marker,
): SearchReplace {
  let divider = -1;
  let replaceFrom = -1;
  const end = opener.character === '-' ? '+' : '>';
  for (let start = from; start < text.length;) {
    const lineEnd = endOfLine(text, start);
    const marker = markerAt(text, start, lineEnd);
    const isOurs = marker?.role !== 'new' || marker.character === end || marker.character === '>';
    if (marker !== undefined && isOurs && counts(marker)) {
      const expected = divider < 0 ? 'divider' : 'new';
      if (marker.role !== expected) {
        const problem =
          divider < 0
            ? 'a SEARCH block has no ======= line before the next marker'
            : 'a REPLACE part holds another marker line of the same length; use longer markers';
        return { kind: 'broken', problem, next: start };
      }
      if (divider >= 0) {
        const parts = {
          search: withoutHints(text.slice(from, divider)),
          replace: withoutHints(text.slice(replaceFrom, start)),
        };
        return { kind: 'read', ...joinParts(parts), next: lineEnd + 1 };
      }
      divider = start;
      replaceFrom = lineEnd + 1;
    }
    start = lineEnd + 1;
  }
  // Everything was read in vain: going on from the end keeps the whole search linear.
  return { kind: 'broken', problem: NEVER_CLOSED, next: text.length };
}

/** The shortest marker that no line of these texts can be taken for. */
export function markerLengthFor(texts: readonly string[]): number {
  let longest = MIN_MARKER - 1;
  for (const text of texts) {
    for (let start = 0; start < text.length; start = endOfLine(text, start) + 1) {
      if ('<=>'.includes(text.charAt(start))) longest = Math.max(longest, leadingRun(text, start));
    }
  }
  return longest + 1;
}

function markerAt(text: string, start: number, end: number): Marker | undefined {
  return MARKER_CHARACTERS.includes(text.charAt(start))
    ? readMarker(text.slice(start, end))
    : undefined;
}

function leadingRun(text: string, from: number): number {
  const code = text.charCodeAt(from);
  let at = from;
  while (text.charCodeAt(at) === code) at++;
  return at - from;
}

const HINT = /^:(?:start|end)_line\s?[:=>]/;

/** Some say where the lines are, above a line of dashes: `:start_line:12`. In either part. */
function withoutHints(part: string): string {
  if (!HINT.test(part.slice(0, 20))) return part;
  let at = 0;
  while (HINT.test(part.slice(at, at + 20))) at = endOfLine(part, at) + 1;
  if (/^-{5,}\s*$/.test(part.slice(at, endOfLine(part, at)))) at = endOfLine(part, at) + 1;
  return part.slice(at);
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

/** Of forms that are written line by line: what is searched for are lines, not a part of one. */
export function lineEdit(oldText: string, newText: string, all = false): TextEdit {
  return { oldText, newText, ...(all && { replaceAll: true }), wholeLines: true };
}
