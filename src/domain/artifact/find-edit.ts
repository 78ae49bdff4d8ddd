// Where an edit's old text stands in a file. Models copy text almost exactly: what they get wrong is
// white space at the end of lines, typographic quotes and the indentation of a whole block. Each of
// these is forgiven in turn, and on every step the place must be the only one.
import type { TextEdit } from '../../contract/artifact.ts';
import { placesOf, searchSequence, searchText } from './find-sequence.ts';
import type { TextLines } from './text-lines.ts';

export interface Replacement {
  start: number;
  end: number;
  text: string;
}

export type FoundEdit =
  | { kind: 'found'; rung: RungName; replacements: Replacement[] }
  | { kind: 'ambiguous'; lines: number[] }
  /** Put in at all its places, the new text would make a file that nobody can use. */
  | { kind: 'too-large' }
  | { kind: 'missing' };

export type RungName = 'exact' | 'trailing-space' | 'punctuation' | 'indentation';

/** Characters that the edits of a file may put into it. */
export const MAX_INSERTED = 16 * 1024 * 1024;

const PUNCTUATION: readonly [RegExp, string][] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/\u2026/g, '...'],
];

const trimEnd = (line: string) => line.trimEnd();

function plainPunctuation(line: string): string {
  let plain = line;
  for (const [pattern, character] of PUNCTUATION) plain = plain.replace(pattern, character);
  return plain.trimEnd();
}

const LINE_RUNGS: readonly { name: RungName; normal(line: string): string }[] = [
  { name: 'trailing-space', normal: trimEnd },
  { name: 'punctuation', normal: plainPunctuation },
  { name: 'indentation', normal: (line) => plainPunctuation(line).trimStart() },
];

/** The lines as numbers, the same for the same line: they are compared at once, however long. */
interface LineForm {
  numbers: Map<string, number>;
  lines: Int32Array;
}

/** Lines of the file in the form of one rung, made when the first edit asks for them. */
export interface FileForms {
  text: string;
  lines: TextLines;
  forms: Map<RungName, LineForm>;
}

function formOf(file: FileForms, name: RungName, normal: (line: string) => string): LineForm {
  const known = file.forms.get(name);
  if (known !== undefined) return known;
  const numbers = new Map<string, number>();
  const lines = Int32Array.from(file.lines.lines, (line) => {
    const key = normal(line);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  const form = { numbers, lines };
  file.forms.set(name, form);
  return form;
}

export function findEdit(file: FileForms, edit: TextEdit): FoundEdit {
  const exact = findExact(file, edit);
  if (exact.kind !== 'missing') return exact;
  const old = edit.oldText.replaceAll('\r\n', '\n');
  const takesEnding = old.endsWith('\n');
  const oldLines = (takesEnding ? old.slice(0, -1) : old).split('\n');
  // A block of blank lines alone would be found everywhere.
  if (oldLines.every((line) => line.trim() === '')) return { kind: 'missing' };
  for (const { name, normal } of LINE_RUNGS) {
    const at = placesOfLines(formOf(file, name, normal), oldLines.map(normal));
    const fits = at.flatMap((first) => {
      const shift = name === 'indentation' ? shiftOf(file, first, oldLines) : NO_SHIFT;
      return shift === undefined ? [] : [{ first, shift }];
    });
    if (fits.length === 0) continue;
    if (fits.length > 1 && !edit.replaceAll) {
      return { kind: 'ambiguous', lines: fits.map(({ first }) => first + 1) };
    }
    if (fits.length * edit.newText.length > MAX_INSERTED) return { kind: 'too-large' };
    const replacements = fits.map(({ first, shift }) =>
      replaceLines(file, { first, count: oldLines.length, takesEnding }, shift(edit.newText)),
    );
    return { kind: 'found', rung: name, replacements };
  }
  return { kind: 'missing' };
}

function findExact(
  { text, lines }: FileForms,
  { oldText, newText, replaceAll }: TextEdit,
): FoundEdit {
  if (oldText === '') return { kind: 'missing' };
  const search = searchText(text, oldText);
  const places = placesOf(search, oldText.length);
  if (places.length === 0) return { kind: 'missing' };
  // Two that overlap are two places as well.
  const overlapping = search(places[0]! + 1);
  if (!replaceAll && (places.length > 1 || overlapping >= 0)) {
    const all = places.length > 1 ? places : [places[0]!, overlapping];
    return { kind: 'ambiguous', lines: all.map((at) => lineAt(lines, at)) };
  }
  if (places.length * newText.length > MAX_INSERTED) return { kind: 'too-large' };
  const replaced = withNewlines(newText, lines.newline);
  const replacements = places.map((start) => ({
    start,
    end: start + oldText.length,
    text: replaced,
  }));
  return { kind: 'found', rung: 'exact', replacements };
}

function lineAt({ starts }: TextLines, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First lines of the places where these lines follow each other, without overlaps. */
function placesOfLines({ numbers, lines }: LineForm, wanted: readonly string[]): number[] {
  const needle = Int32Array.from(wanted, (line) => numbers.get(line) ?? -1);
  if (needle.includes(-1)) return [];
  const sequence = (values: Int32Array) => ({
    length: values.length,
    at: (index: number) => values[index]!,
  });
  return placesOf(searchSequence(sequence(lines), sequence(needle)), needle.length);
}

type Shift = (newText: string) => string;
const NO_SHIFT: Shift = (text) => text;

const indentOf = (line: string) => /^[ \t]*/.exec(line)![0];

/** How to move the new lines so that they stand as the file does; undefined when it is no shift. */
function shiftOf(file: FileForms, first: number, oldLines: readonly string[]): Shift | undefined {
  let added: string | undefined;
  let removed: string | undefined;
  for (const [i, old] of oldLines.entries()) {
    if (old.trim() === '') continue;
    const here = indentOf(file.lines.lines[first + i]!);
    const there = indentOf(old);
    if (here.endsWith(there)) {
      const more = here.slice(0, here.length - there.length);
      if (removed || (added !== undefined && added !== more)) return undefined;
      added = more;
    } else if (there.endsWith(here)) {
      const less = there.slice(0, there.length - here.length);
      if (added || (removed !== undefined && removed !== less)) return undefined;
      removed = less;
    } else return undefined;
  }
  const prefix = removed ?? '';
  return (text) =>
    text
      .split('\n')
      .map((line) => {
        if (line.trim() === '') return line;
        return added ? added + line : line.startsWith(prefix) ? line.slice(prefix.length) : line;
      })
      .join('\n');
}

function withNewlines(text: string, newline: '\n' | '\r\n'): string {
  const plain = text.replaceAll('\r\n', '\n');
  return newline === '\n' ? text : plain.replaceAll('\n', newline);
}

function replaceLines(
  { lines, text }: FileForms,
  place: { first: number; count: number; takesEnding: boolean },
  newText: string,
): Replacement {
  const last = place.first + place.count - 1;
  const hasEnding = lines.nexts[last]! > lines.ends[last]!;
  const end = place.takesEnding ? lines.nexts[last]! : lines.ends[last]!;
  // A last line without an ending keeps having none.
  const isCut = place.takesEnding && !hasEnding && newText.endsWith('\n') && end === text.length;
  const replaced = withNewlines(isCut ? newText.slice(0, -1) : newText, lines.newline);
  return { start: lines.starts[place.first]!, end, text: replaced };
}
