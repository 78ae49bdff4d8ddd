// What a person says about lines of a change. It belongs to the hunk that it was made on: when that is another one, the
// comment is outdated and shown with the lines as they were, never on others.
import type { CarriedComment, ReviewComment } from '../../contract/review-api.ts';
import { groupedChanges, splitLines } from '../diff/hunks.ts';
import type { Change } from '../diff/hunks.ts';

export type { ReviewComment } from '../../contract/review-api.ts';

/** By their ids. */
export type Comments = ReadonlyMap<string, ReviewComment>;

/** Of an earlier round. Whether it is outdated depends on the files as they are now. */
export type KeptComment = Omit<CarriedComment, 'outdated'>;

export interface CommentedFile {
  /** Of its hunks, and of the pieces of each. */
  hunks: ReadonlySet<string>;
  before: string;
  after: string;
}

const withoutEnding = (line: string) => line.replace(/\r?\n$/, '');

/** Counted from 0, the last not included; undefined for a comment on the file as a whole. */
function rangeOf({
  line,
  endLine = line,
}: ReviewComment): { from: number; to: number } | undefined {
  return line < 1 ? undefined : { from: line - 1, to: Math.max(line, endLine) };
}

/** Without their endings. */
function linesAt(text: string, comment: ReviewComment): string[] | undefined {
  const range = rangeOf(comment);
  const lines = splitLines(text);
  if (range === undefined || range.to > lines.length) return undefined;
  return lines.slice(range.from, range.to).map(withoutEnding);
}

const quotedLines = ({ quoted }: ReviewComment) => splitLines(quoted).map(withoutEnding);

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, at) => line === b[at]);

/** `file`: undefined when nothing of it is under review any more. */
export function isOutdated(comment: ReviewComment, file: CommentedFile | undefined): boolean {
  if (file === undefined) return true;
  if (comment.hunk !== undefined) return !file.hunks.has(comment.hunk);
  if (rangeOf(comment) === undefined) return false;
  const lines = linesAt(comment.side === 'new' ? file.after : file.before, comment);
  return lines === undefined || !isSame(lines, quotedLines(comment));
}

/** Undefined where the lines are not as they were seen. */
export function suggestedChange(comment: ReviewComment, after: string): Change | undefined {
  const { side, suggestion } = comment;
  const range = rangeOf(comment);
  if (suggestion === undefined || side !== 'new' || range === undefined) return undefined;
  const lines = linesAt(after, comment);
  if (lines === undefined || !isSame(lines, quotedLines(comment))) return undefined;
  const old = splitLines(after).slice(range.from, range.to);
  const ending = old.some((line) => line.endsWith('\r\n')) ? '\r\n' : '\n';
  const wanted = suggestion === '' ? [] : suggestion.replace(/\r?\n$/, '').split('\n');
  const added = wanted.map((line) => `${line.replace(/\r$/, '')}${ending}`);
  // The end of a file without a line break stays without one.
  const last = added.at(-1);
  if (last !== undefined && !old.at(-1)!.endsWith('\n'))
    added[added.length - 1] = withoutEnding(last);
  return { oldAt: range.from, newAt: range.from, removed: range.to - range.from, added };
}

function overlaps(a: Change, b: Change): boolean {
  if (a.oldAt === b.oldAt) return true;
  return Math.max(a.oldAt, b.oldAt) < Math.min(a.oldAt + a.removed, b.oldAt + b.removed);
}

const isWithin = ({ oldAt, removed }: Change, at: number) => oldAt < at && at < oldAt + removed;

const clashes = (a: Change, b: Change) =>
  overlaps(a, b) || isWithin(a, b.oldAt) || isWithin(b, a.oldAt);

const says = ({ oldAt, removed, added }: Change) => JSON.stringify([oldAt, removed, added]);

export interface PlacedSuggestions {
  /** Of the text as it was reviewed: what else changes in it, and the suggestions that fit. */
  changes: Change[];
  /** The comments whose suggestions fit. */
  placed: string[];
}

/**
 * Suggestions for lines that are as they were seen and that stay. Of two for the same lines neither is made, unless they
 * say the same: a person has to choose.
 */
export function placeSuggestions(
  { after, left }: { after: string; left: string },
  comments: Comments,
): PlacedSuggestions {
  const others = groupedChanges(splitLines(after), splitLines(left)).flat();
  const wanted = [...comments].flatMap(([id, comment]) => {
    const change = suggestedChange(comment, after);
    return change === undefined ? [] : [{ id, change }];
  });
  const fits = wanted.filter(
    ({ change }) =>
      !others.some((other) => clashes(other, change)) &&
      wanted.every((one) => says(one.change) === says(change) || !clashes(one.change, change)),
  );
  const unique = new Map(fits.map(({ change }) => [says(change), change]));
  return { changes: [...others, ...unique.values()], placed: fits.map(({ id }) => id) };
}

/** As in `lines 12-14`. */
export function linesText(comment: ReviewComment): string {
  const range = rangeOf(comment);
  if (range === undefined) return 'the file as a whole';
  const lines =
    range.to - range.from === 1 ? `line ${range.to}` : `lines ${range.from + 1}-${range.to}`;
  return comment.side === 'old' ? `${lines} before the change` : lines;
}
