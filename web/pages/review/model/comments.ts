// Where comments are. One is anchored by path, side, line and hunk, and by the lines as they were seen: where those are no
// longer, it is shown as outdated above its file, never moved to other lines.
import type {
  CarriedComment,
  Review,
  ReviewComment,
  ReviewFileSummary,
} from '../../../../src/contract/review-api.ts';
import { splitLines } from '../../../../src/domain/diff/hunks.ts';
import type { DiffRow, FileText, LineRow } from './diff-rows.ts';

export type Side = ReviewComment['side'];

/** Lines that a reader comments on, counted from 1; both belong to it. */
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

export function quoteOf(text: FileText, { side, from, to }: LineRange): string {
  const lines = splitLines(sideOf(text, side)).slice(from - 1, to);
  return lines.join('').replace(/\n$/, '');
}

const withoutLastBreak = (text: string) => text.replace(/\r?\n$/, '');

function isOutdated(
  comment: ReviewComment,
  file: Pick<ReviewFileSummary, 'hunks'>,
  text: FileText | undefined,
): boolean {
  const { path, side, line, hunk, quoted } = comment;
  const ids = file.hunks.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => part.id)]);
  if (hunk !== undefined && !ids.includes(hunk)) return true;
  if (text === undefined || text.notShown !== null) return false;
  const range = { path, side, from: line, to: lastLine(comment), hunk };
  return withoutLastBreak(quoteOf(text, range)) !== withoutLastBreak(quoted);
}

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

const isAt = ({ sign, oldLine, newLine }: LineRow, side: Side, line: number) =>
  side === 'old' ? sign === '-' && oldLine === line : sign !== '-' && newLine === line;

/** Rows of the diff with comments below their lines; outdated ones, and those without a line, come first. */
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
  const below = new Map<DiffRow, ReviewRow[]>();
  const first: ReviewRow[] = [];
  const put = (side: Side, line: number, row: ReviewRow, isLost = false) => {
    const at = isLost
      ? undefined
      : rows.find((one): one is LineRow => one.kind === 'line' && isAt(one, side, line));
    if (at === undefined) first.push(row);
    else below.set(at, [...(below.get(at) ?? []), row]);
  };
  for (const one of comments) {
    // Its editor is in its place.
    if (editor !== undefined && editor.id === one.id) continue;
    const { carried, comment } = one;
    const isLost = carried?.outdated === true || isOutdated(comment, file, text);
    const shown = { ...one, isOutdated: isLost };
    const row = { kind: 'comment', key: `c${one.id}`, shown } as const;
    put(comment.side, lastLine(comment), row, isLost);
  }
  if (editor !== undefined) {
    const { range, id } = editor;
    put(range.side, range.to, { kind: 'editor', key: 'editor', range, id });
  }
  const all = [...first];
  for (const row of rows) {
    all.push(row);
    const more = below.get(row);
    if (more !== undefined) all.push(...more);
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
