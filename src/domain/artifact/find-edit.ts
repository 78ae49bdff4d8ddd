// Where an edit's old text is in a file. What is there exactly is replaced as written, byte for byte: the
// author may well mean another indentation or another kind of quotes. What would otherwise be refused is fitted.
// Models copy text almost exactly: what they get wrong is white space at the end of lines, typographic quotes and the
// indentation of a whole block. Each of these is forgiven in turn, and on every step the place must be the only one.
import { addAll } from './add-all.ts';
import type { TextEdit } from '../../contract/artifact.ts';
import { changedLines } from './changed-lines.ts';
import type { Part, Replacement } from './changed-lines.ts';
import { allPlacesOf, placesOf, searchSequence, searchText } from './find-sequence.ts';
import { fitIndent, isForeign, isSameBlock, styleOf } from './indentation.ts';
import type { IndentCase, IndentStyle } from './indentation.ts';
import { fitPunctuation, plainPunctuation } from './punctuation.ts';
import { toLines } from './text-lines.ts';
import type { TextLines } from './text-lines.ts';

export interface PlacedReplacement extends Replacement {
  /** All that the edit's old text is part of. */
  part: Part;
}

export type FoundEdit =
  | { kind: 'found'; rung: RungName; replacements: PlacedReplacement[] }
  | { kind: 'ambiguous'; lines: number[] }
  /** Put in at all its places, the new text would make a file that nobody can use. */
  | { kind: 'too-large' }
  /** It is there, but how the new text would have to look in the file is unclear. */
  | { kind: 'unfit' }
  | { kind: 'missing' };

export type RungName = 'exact' | 'trailing-space' | 'punctuation' | 'indentation';

/** Characters that the edits of a file may put into it. */
export const MAX_INSERTED = 16 * 1024 * 1024;

/** Lines, beside twice those of the file, that are compared with the old text where it may be. */
const MOST_COMPARED = 10_000;

const trimEnd = (line: string) => line.trimEnd();
const plain = (line: string) => plainPunctuation(line).trimEnd();

const LINE_RUNGS: readonly { name: RungName; normal(line: string): string }[] = [
  { name: 'trailing-space', normal: trimEnd },
  { name: 'punctuation', normal: plain },
  { name: 'indentation', normal: (line) => plain(line).trimStart() },
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
  style?: IndentStyle;
}

export function fileForms(text: string): FileForms {
  return { text, lines: toLines(text), forms: new Map() };
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
    const places = placesOfLines(
      formOf(file, name, normal),
      oldLines.map(normal),
      edit.replaceAll === true,
    );
    // So many can only overlap: lines that repeat themselves, of which nobody can tell which are meant.
    const most = MOST_COMPARED + 2 * file.lines.lines.length;
    if (!edit.replaceAll && places.length * oldLines.length > most) {
      return { kind: 'ambiguous', lines: places.slice(0, 10).map((first) => first + 1) };
    }
    const parts = places
      .map((first) => ({
        first,
        part: linePart(file, { first, count: oldLines.length, takesEnding }),
      }))
      .filter(({ part }) => isSameBlock(linesOf(file, part), oldLines));
    if (parts.length === 0) continue;
    if (parts.length > 1 && !edit.replaceAll) {
      return { kind: 'ambiguous', lines: parts.map(({ first }) => first + 1) };
    }
    if (parts.length * edit.newText.length > MAX_INSERTED) return { kind: 'too-large' };
    const replacements: PlacedReplacement[] = [];
    for (const { part } of parts) {
      const fitted = fit(file, part, edit);
      if (fitted === undefined) return { kind: 'unfit' };
      replacements.push(
        ...replace(file, part, fitted, name === 'trailing-space' ? trimEnd : plain),
      );
    }
    return { kind: 'found', rung: name, replacements };
  }
  return { kind: 'missing' };
}

function findExact(file: FileForms, edit: TextEdit): FoundEdit {
  const { text, lines } = file;
  const { oldText, newText, replaceAll } = edit;
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
  const replacements: PlacedReplacement[] = [];
  for (const start of places) {
    const part = { start, end: start + oldText.length };
    const lacking = edit.wholeLines === true ? withIndent(file, part) : undefined;
    const isRemoval = newText === '' && oldText.endsWith('\n');
    if (lacking === undefined || (newText.trim() === '' && !isRemoval)) {
      addAll(replacements, replace(file, part, newText));
      continue;
    }
    // Lines that go take their indentation with them.
    const fitted = isRemoval ? newText : fit(file, lacking, edit);
    if (fitted === undefined) return { kind: 'unfit' };
    addAll(replacements, replace(file, lacking, fitted));
  }
  return { kind: 'found', rung: 'exact', replacements };
}

/** The part with the indentation of its first line, when that is all that whole lines lack in front. */
function withIndent({ text, lines }: FileForms, { start, end }: Part): Part | undefined {
  const from = lines.starts[lineAt(lines, start) - 1] ?? 0;
  const isIndented =
    start > from && start - from <= 1000 && /^[ \t]+$/.test(text.slice(from, start));
  return isIndented ? { start: from, end } : undefined;
}

/** The new text as it has to be in this place of the file; undefined when that is unclear. */
function fit(file: FileForms, place: Part, edit: TextEdit): string | undefined {
  const oldText = edit.oldText.replaceAll('\r\n', '\n');
  const part = file.text.slice(place.start, place.end);
  // A last line without an ending keeps having none.
  const isCut = oldText.endsWith('\n') && !part.endsWith('\n') && edit.newText.endsWith('\n');
  const newText = (isCut ? edit.newText.slice(0, -1) : edit.newText).replaceAll('\r\n', '\n');
  const quoted = fitPunctuation({ part, whole: file.text }, oldText, newText);
  if (quoted === undefined) return undefined;
  const [here, search] = [linesOf(file, place), oldText.split('\n')];
  const replace = withoutBlanks({ file: here, search, replace: quoted.split('\n') });
  const lines = fitIndent({ file: here, search, replace });
  if (lines === undefined) return undefined;
  file.style ??= styleOf(file.lines.lines);
  return isForeign(file.style, lines) ? undefined : lines.join('\n');
}

const endsBlank = (line: string | undefined) => line !== undefined && /[ \t]$/.test(line);

/** Blanks at the end of every searched line that the file has not are in the new lines by the same mistake. */
function withoutBlanks({ file, search, replace }: IndentCase): readonly string[] {
  const isMistake = search.some((line, i) => endsBlank(line) && !endsBlank(file[i]));
  return isMistake ? replace.map((line) => line.trimEnd()) : replace;
}

function linesOf({ text }: FileForms, { start, end }: Part): string[] {
  return text.slice(start, end).replaceAll('\r\n', '\n').split('\n');
}

function replace(
  { text }: FileForms,
  part: Part,
  newText: string,
  normal?: (line: string) => string,
): PlacedReplacement[] {
  return changedLines(text, part, newText, normal).map((each) => ({ ...each, part }));
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

/**
 * First lines of the places where these lines follow each other. Two that overlap are two places, unless all of
 * them will be replaced.
 */
function placesOfLines(
  { numbers, lines }: LineForm,
  wanted: readonly string[],
  replaceAll: boolean,
): number[] {
  const needle = Int32Array.from(wanted, (line) => numbers.get(line) ?? -1);
  if (needle.includes(-1)) return [];
  const sequence = (values: Int32Array) => ({
    length: values.length,
    at: (index: number) => values[index]!,
  });
  const [haystack, wantedLines] = [sequence(lines), sequence(needle)];
  return replaceAll
    ? placesOf(searchSequence(haystack, wantedLines), needle.length)
    : allPlacesOf(haystack, wantedLines);
}

function linePart(
  { lines }: FileForms,
  place: { first: number; count: number; takesEnding: boolean },
): Part {
  const last = place.first + place.count - 1;
  const end = place.takesEnding ? lines.nexts[last]! : lines.ends[last]!;
  return { start: lines.starts[place.first]!, end };
}
