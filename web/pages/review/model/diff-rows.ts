// The diff of a file as rows: the bar of each unit with its lines below, and what is left out between them. Where hunks are,
// the review says; which lines in them differ is compared here, hunk by hunk, so that a long file costs no more than its
// changes.
import { compareLines } from '../../../../src/domain/diff/compare-lines.ts';
import { CONTEXT, splitLines } from '../../../../src/domain/diff/hunks.ts';
import type { ReviewFileSummary } from '../../../../src/contract/review-api.ts';
import type { Place, Unit } from './units.ts';

export interface FileText {
  before: string | null;
  after: string | null;
  notShown: 'binary' | 'large' | null;
}

export interface LineRow {
  kind: 'line';
  key: string;
  sign: ' ' | '+' | '-';
  /** Counted from 1. */
  oldLine: number | undefined;
  newLine: number | undefined;
  text: string;
  /** The line that goes for this one, or comes for it. */
  other?: string;
  unit?: string;
  isLastWithoutBreak: boolean;
}

export interface GapRow {
  kind: 'gap';
  key: string;
  /** Which of the gaps of the file, counted from 0. */
  gap: number;
  count: number;
  /** There are lines before and after that can be continued. */
  hasAbove: boolean;
  hasBelow: boolean;
}

export type DiffRow =
  | { kind: 'unit'; key: string; unit: Unit }
  | LineRow
  | GapRow
  | { kind: 'note'; key: string; text: string };

/** How many lines more are shown of a gap, from its beginning and from its end. */
export interface OpenedGap {
  down: number;
  up: number;
}

export interface DiffOptions {
  units: readonly Unit[];
  gaps: ReadonlyMap<number, OpenedGap>;
  isWhole: boolean;
  /** Lines of the new side that have to be there, counted from 1: comments are on them. */
  pinned: readonly number[];
}

interface Texts {
  old: readonly string[];
  fresh: readonly string[];
  /** All line breaks of both are alike: nobody needs to see of which kind they are. */
  hasOneBreak: boolean;
}

function textsOf({ before, after }: FileText): Texts {
  const [old, fresh] = [splitLines(before ?? ''), splitLines(after ?? '')];
  const isPlain = (line: string) => !line.endsWith('\r\n');
  const isCrlf = (line: string) => !line.endsWith('\n') || line.endsWith('\r\n');
  const hasOneBreak =
    [old, fresh].every((lines) => lines.every(isPlain)) ||
    [old, fresh].every((lines) => lines.every(isCrlf));
  return { old, fresh, hasOneBreak };
}

const lineKey = (oldLine: number | undefined, newLine: number | undefined) =>
  newLine === undefined ? `o${oldLine}` : `n${newLine}`;

function lineRow(
  sign: LineRow['sign'],
  line: string,
  places: {
    oldLine: number | undefined;
    newLine: number | undefined;
    unit?: string | undefined;
    hidesBreak: boolean;
  },
): LineRow {
  const { oldLine, newLine, unit, hidesBreak } = places;
  const hasBreak = line.endsWith('\n');
  let text = hasBreak ? line.slice(0, -1) : line;
  if ((sign === ' ' || hidesBreak) && hasBreak && text.endsWith('\r')) text = text.slice(0, -1);
  return {
    kind: 'line',
    key: lineKey(oldLine, newLine),
    sign,
    oldLine,
    newLine,
    text,
    ...(unit !== undefined && { unit }),
    isLastWithoutBreak: !hasBreak,
  };
}

/** Lines that go and lines that come in their place are compared one by one. */
function pairUp(rows: LineRow[], from: number): void {
  const removed = rows.slice(from).filter(({ sign }) => sign === '-');
  const added = rows.slice(from).filter(({ sign }) => sign === '+');
  removed.forEach((row, at) => {
    const other = added[at];
    if (other === undefined) return;
    row.other = other.text;
    other.other = row.text;
  });
}

function changedRows(
  { old, fresh, hasOneBreak: hidesBreak }: Texts,
  place: Place,
  unit: string | undefined,
): LineRow[] {
  const { oldFrom, oldTo, newFrom, newTo } = place;
  const { removed, added } = compareLines(old.slice(oldFrom, oldTo), fresh.slice(newFrom, newTo));
  const rows: LineRow[] = [];
  let [i, j] = [oldFrom, newFrom];
  while (i < oldTo || j < newTo) {
    const from = rows.length;
    for (; i < oldTo && removed[i - oldFrom]; i++) {
      rows.push(lineRow('-', old[i]!, { oldLine: i + 1, newLine: undefined, unit, hidesBreak }));
    }
    for (; j < newTo && added[j - newFrom]; j++) {
      rows.push(lineRow('+', fresh[j]!, { oldLine: undefined, newLine: j + 1, unit, hidesBreak }));
    }
    pairUp(rows, from);
    for (; i < oldTo && j < newTo && !removed[i - oldFrom] && !added[j - newFrom]; i++, j++) {
      rows.push(lineRow(' ', fresh[j]!, { oldLine: i + 1, newLine: j + 1, unit, hidesBreak }));
    }
  }
  return rows;
}

interface Gap {
  at: number;
  oldFrom: number;
  newFrom: number;
  count: number;
  /** How many of its lines are shown next to the hunks before and after anyway. */
  before: number;
  after: number;
}

const sameRows = ({ fresh }: Texts, { oldFrom, newFrom }: Gap, from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) =>
    lineRow(' ', fresh[newFrom + from + at]!, {
      oldLine: oldFrom + from + at + 1,
      newLine: newFrom + from + at + 1,
      hidesBreak: true,
    }),
  );

/** A gap of one line would be as high as the line. */
const LEAST_HIDDEN = 2;

function gapRows(texts: Texts, gap: Gap, { gaps, isWhole, pinned }: DiffOptions): DiffRow[] {
  const { at, newFrom, count, before, after } = gap;
  const opened = gaps.get(at) ?? { down: 0, up: 0 };
  const isPinned = pinned.some((line) => line > newFrom && line <= newFrom + count);
  const top = Math.min(count, before + opened.down);
  const bottom = Math.max(top, count - after - opened.up);
  if (isWhole || isPinned || bottom - top < LEAST_HIDDEN) return sameRows(texts, gap, 0, count);
  const isFirst = newFrom === 0;
  const isLast = newFrom + count === texts.fresh.length;
  return [
    ...sameRows(texts, gap, 0, top),
    {
      kind: 'gap',
      key: `g${at}`,
      gap: at,
      count: bottom - top,
      hasAbove: !isFirst,
      hasBelow: !isLast,
    },
    ...sameRows(texts, gap, bottom, count),
  ];
}

/** Lines that a hunk shows before its first change, or after its last. */
const sameAtStart = (rows: readonly LineRow[]) => {
  const at = rows.findIndex(({ sign }) => sign !== ' ');
  return at === -1 ? rows.length : at;
};
const sameAtEnd = (rows: readonly LineRow[]) => sameAtStart(rows.toReversed());

function isInside({ oldFrom, oldTo, newFrom, newTo }: Place, { old, fresh }: Texts): boolean {
  return oldFrom <= oldTo && newFrom <= newTo && oldTo <= old.length && newTo <= fresh.length;
}

function noteOf({ notShown }: FileText, { isBinary }: ReviewFileSummary): string | undefined {
  if (notShown === 'large') return 'This file is too large to show. It is decided as a whole.';
  if (notShown === 'binary' || isBinary) return 'Not text. It is decided as a whole.';
  return undefined;
}

function wholeUnit(unit: Unit): DiffRow[] {
  return [{ kind: 'unit', key: `u${unit.id}`, unit }];
}

export function diffRows(file: ReviewFileSummary, text: FileText, options: DiffOptions): DiffRow[] {
  const { units } = options;
  const note = noteOf(text, file);
  const heads = units.filter(({ hunk }) => hunk.kind !== 'lines').flatMap(wholeUnit);
  if (note !== undefined) return [...heads, { kind: 'note', key: 'note', text: note }];
  const texts = textsOf(text);
  const all = { oldFrom: 0, oldTo: texts.old.length, newFrom: 0, newTo: texts.fresh.length };
  const own = units.filter(({ hunk }) => hunk.kind === 'lines');
  if (own.length === 0) {
    const whole = units.find(({ hunk }) => hunk.kind === 'whole');
    const lines = changedRows(texts, all, whole?.id);
    const hasLines = whole !== undefined && lines.length > 0;
    const empty = { kind: 'note', key: 'note', text: 'No lines to compare.' } as const;
    return [...heads, ...(hasLines ? lines : [empty])];
  }
  return [...heads, ...unitRows(texts, own, options)];
}

/** One by one: a spread of a whole file is too much for the stack. */
function addAll(rows: DiffRow[], more: readonly DiffRow[]): void {
  for (const row of more) rows.push(row);
}

function unitRows(texts: Texts, units: readonly Unit[], options: DiffOptions): DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldAt, newAt, tail] = [0, 0, CONTEXT];
  let at = 0;
  for (const unit of units) {
    // What does not fit the texts is shown as far as it does.
    if (!isInside(unit, texts) || unit.oldFrom < oldAt || unit.newFrom < newAt) continue;
    const lines = changedRows(texts, unit, unit.id);
    const count = unit.newFrom - newAt;
    const before = Math.max(0, CONTEXT - tail);
    const after = Math.max(0, CONTEXT - sameAtStart(lines));
    const gap = { at, oldFrom: oldAt, newFrom: newAt, count, before, after };
    const between = count > 0 ? gapRows(texts, gap, options) : [];
    // The bar of a unit is above the lines that lead to it.
    const hidden = between.findLastIndex(({ kind }) => kind === 'gap');
    const cut = hidden === -1 ? Math.max(between.length - after, 0) : hidden + 1;
    addAll(rows, between.slice(0, cut));
    addAll(rows, wholeUnit(unit));
    addAll(rows, between.slice(cut));
    addAll(rows, lines);
    [oldAt, newAt, tail] = [unit.oldTo, unit.newTo, sameAtEnd(lines)];
    at += 1;
  }
  const count = texts.fresh.length - newAt;
  const before = Math.max(0, CONTEXT - tail);
  const rest = { at, oldFrom: oldAt, newFrom: newAt, count, before, after: 0 };
  if (count > 0) addAll(rows, gapRows(texts, rest, options));
  return rows;
}

/** How many rows there will be, before the text is here. */
export function estimateRows({ hunks, additions, deletions }: ReviewFileSummary): number {
  const shown = hunks.reduce((sum, { oldFrom, oldTo }) => sum + (oldTo - oldFrom), 0);
  return Math.max(1, Math.max(shown, deletions) + additions + 2 * hunks.length);
}
