// A comment on a request, as a comment of a review: about the same lines, wherever they are in the file by now.
import type { RequestComment } from '../../../git/forges/forge.ts';
import { fileAt } from '../../../git/file-at.ts';
import { groupedChanges, splitLines } from '../../../domain/diff/hunks.ts';
import type { ReviewComment } from '../../../domain/review/comment.ts';

export interface BranchFiles {
  /** Of the repository. */
  root: string;
  branch: string;
  /** That the requests are compared with. */
  base: string;
  /** Where the project lies in the repository; empty at its top. */
  prefix: string;
}

const LONGEST = 19_000;

const cut = (text: string) => text.replaceAll('\0', '').slice(0, LONGEST).toWellFormed();

/** Undefined outside of the project. */
export function pathInProject({ prefix }: BranchFiles, path: string): string | undefined {
  if (prefix === '') return path;
  const folder = prefix.endsWith('/') ? prefix : `${prefix}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : undefined;
}

/** Where lines are in a later text; undefined when one of them has changed. Counted from 0, the last not included. */
function movedTo(
  before: string,
  after: string,
  { from, to }: { from: number; to: number },
): number | undefined {
  let moved = 0;
  for (const { oldAt, removed, added } of groupedChanges(
    splitLines(before),
    splitLines(after),
  ).flat()) {
    if (oldAt >= to) break;
    const isInside = oldAt + removed > from || (removed === 0 && oldAt > from);
    if (isInside) return undefined;
    moved += added.length - removed;
  }
  return from + moved;
}

/** About the whole file where the lines are others by now; the lines as they were seen are shown with it. */
export async function placeComment(
  files: BranchFiles,
  comment: RequestComment,
  path: string,
): Promise<ReviewComment> {
  const { text, suggestion, place } = comment;
  const said = {
    path,
    side: place?.side ?? ('new' as const),
    text: cut(text),
    ...(suggestion !== undefined && { suggestion: cut(suggestion) }),
  };
  const nowhere = { ...said, line: 0, quoted: '' };
  if (place?.lines === undefined) return nowhere;
  const [first, last] = place.lines;
  const range = { from: first - 1, to: last };
  const isOld = place.side === 'old';
  const seen = await fileAt(files.root, isOld ? files.base : place.commit, place.path);
  if (seen === undefined) return nowhere;
  const quoted = cut(splitLines(seen).slice(range.from, range.to).join(''));
  if (isOld) return { ...said, line: first, endLine: last, quoted };
  const now = await fileAt(files.root, files.branch, place.path);
  const at = now === undefined ? undefined : movedTo(seen, now, range);
  if (at === undefined) return { ...said, line: 0, quoted };
  return { ...said, line: at + 1, endLine: at + range.to - range.from, quoted };
}
