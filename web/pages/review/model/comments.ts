// Where comments are: below their lines, if these are as they were seen; below the bar of their hunk, if it has moved; above
// their file, if they are about all of it or are outdated. Never on other lines.
import type {
  CarriedComment,
  Review,
  ReviewComment,
  ReviewFileSummary,
} from '../../../../src/contract/review-api.ts';
import { splitLines } from '../../../../src/domain/diff/hunks.ts';
import { isOutdated } from '../../../../src/domain/review/comment.ts';
import type { DiffRow, FileText } from './diff-rows.ts';

export type Side = ReviewComment['side'];

/** Lines that a reader comments on, counted from 1; both belong to it. From 0: the file as a whole. */
export interface LineRange {
  path: string;
  side: Side;
  from: number;
  to: number;
  hunk: string | undefined;
}

export interface ShownComment {
  id: string;
  comment: ReviewComment;
  /** Of an earlier round: it can be read and not changed. */
  carried: CarriedComment | undefined;
  isOutdated: boolean;
}

export const lastLine = ({ line, endLine }: Pick<ReviewComment, 'line' | 'endLine'>): number =>
  endLine ?? line;

const sideOf = (text: FileText, side: Side) => (side === 'old' ? text.before : text.after) ?? '';

/** Without the endings of lines, but for an empty last one, which would be lost. */
export function quoteOf(text: FileText, { side, from, to }: LineRange): string {
  if (from < 1) return '';
  const lines = splitLines(sideOf(text, side)).slice(from - 1, to);
  const bare = lines.map((line) => line.replace(/\r?\n$/, ''));
  return bare.join('\n') + (bare.at(-1) === '' ? '\n' : '');
}

export const rangeOfComment = (comment: ReviewComment): LineRange => ({
  path: comment.path,
  side: comment.side,
  from: comment.line,
  to: lastLine(comment),
  hunk: comment.hunk,
});

const isAsSeen = (comment: ReviewComment, text: FileText) =>
  quoteOf(text, rangeOfComment(comment)).trimEnd() ===
  comment.quoted.replaceAll('\r\n', '\n').trimEnd();

const idsOf = ({ hunks }: Pick<ReviewFileSummary, 'hunks'>) =>
  new Set(hunks.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => part.id)]));

export type Comments = Readonly<Record<string, ReviewComment>>;

/** By path: those of the rounds before first, then the reader's own in the order of their lines. */
export function commentsByPath(
  { comments: carried }: Pick<Review, 'comments'>,
  own: Comments,
): Map<string, Omit<ShownComment, 'isOutdated'>[]> {
  const all = [
    ...carried.map((comment) => ({ id: comment.id, comment, carried: comment })),
    ...Object.entries(own)
      .map(([id, comment]) => ({ id, comment, carried: undefined }))
      .sort((a, b) => a.comment.line - b.comment.line || (a.id < b.id ? -1 : 1)),
  ];
  return Map.groupBy(all, ({ comment }) => comment.path);
}

export type ReviewRow =
  | DiffRow
  | { kind: 'comment'; key: string; shown: ShownComment }
  | { kind: 'editor'; key: string; range: LineRange; id: string | undefined };

const lineKey = (side: Side, line: number) => `${side} ${line}`;

/** Rows that something can be below: lines by side and number, bars by what is decided there. */
function placesIn(rows: readonly DiffRow[]): Map<string, DiffRow> {
  const places = new Map<string, DiffRow>();
  for (const row of rows) {
    if (row.kind === 'unit') {
      places.set(row.unit.id, row);
      places.set(row.unit.hunk.id, row);
    } else if (row.kind === 'line') {
      const { oldLine, newLine } = row;
      if (oldLine !== undefined) places.set(lineKey('old', oldLine), row);
      if (newLine !== undefined) places.set(lineKey('new', newLine), row);
    }
  }
  return places;
}

/** Rows of the diff with comments below their lines. */
export function withComments(
  rows: readonly DiffRow[],
  file: Pick<ReviewFileSummary, 'hunks'>,
  about: {
    text: FileText;
    comments: readonly Omit<ShownComment, 'isOutdated'>[];
    editor: { range: LineRange; id: string | undefined } | undefined;
  },
): ReviewRow[] {
  const { text, comments, editor } = about;
  if (comments.length === 0 && editor === undefined) return [...rows];
  const places = placesIn(rows);
  const below = new Map<DiffRow, ReviewRow[]>();
  const first: ReviewRow[] = [];
  const put = (at: DiffRow | undefined, row: ReviewRow) => {
    if (at === undefined) first.push(row);
    else below.set(at, [...(below.get(at) ?? []), row]);
  };
  const now = { hunks: idsOf(file), before: text.before ?? '', after: text.after ?? '' };
  for (const one of comments) {
    // Its editor is in its place.
    if (editor !== undefined && editor.id === one.id) continue;
    const { carried, comment } = one;
    const isLost = carried?.outdated === true || isOutdated(comment, now);
    const row = {
      kind: 'comment',
      key: `c${one.id}`,
      shown: { ...one, isOutdated: isLost },
    } as const;
    const line = lineKey(comment.side, lastLine(comment));
    if (isLost || comment.line < 1) put(undefined, row);
    else if (isAsSeen(comment, text)) put(places.get(line) ?? places.get(comment.hunk ?? ''), row);
    else put(places.get(comment.hunk ?? ''), row);
  }
  if (editor !== undefined) {
    const { range, id } = editor;
    put(places.get(lineKey(range.side, range.to)), { kind: 'editor', key: 'editor', range, id });
  }
  const all = [...first];
  for (const row of rows) {
    all.push(row);
    for (const more of below.get(row) ?? []) all.push(more);
  }
  return all;
}

/** Lines of the new side that comments are on: they are shown even far from any change. */
export function pinnedLines(
  comments: readonly Pick<ShownComment, 'comment' | 'carried'>[],
  editor: LineRange | undefined,
): number[] {
  const lines = comments
    .filter(({ comment, carried }) => comment.side === 'new' && carried?.outdated !== true)
    .map(({ comment }) => lastLine(comment));
  return editor?.side === 'new' ? [...lines, editor.to] : lines;
}
