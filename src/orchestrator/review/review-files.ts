// Changes as the server keeps them for a reader: texts, hunks and who wrote them.
import { MAX_BODY_BYTES } from '../../contract/fields.ts';
import { MAX_REVIEW_BYTES, MAX_REVIEW_TEXT, MAX_SENT_FILES } from '../../contract/review-api.ts';
import type { ReviewFile, ReviewHunk } from '../../contract/review-api.ts';
import type { MillraceClient } from '../../client/index.ts';
import { splitLines } from '../../domain/diff/hunks.ts';
import type { Change } from '../../domain/diff/hunks.ts';
import { sha256 } from '../../platform/sha256.ts';
import { isSteeringFile } from '../apply/allowed-path.ts';
import { isText } from '../apply/result-of.ts';
import { summaryOf } from '../apply/summary.ts';
import { split } from './reviewed-file.ts';
import type { Hunk, ReviewedFile } from './reviewed-file.ts';

const MAX_PARTS = 1000;
/** Of one request, with room to spare. */
const MAX_PAGE_BYTES = MAX_BODY_BYTES - 512 * 1024;

function rangeOf(changes: readonly Change[]) {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  return {
    oldFrom: first.oldAt,
    oldTo: last.oldAt + last.removed,
    newFrom: first.newAt,
    newTo: last.newAt + last.added.length,
  };
}

function placed(hunk: Hunk, { change }: ReviewedFile) {
  if (hunk.kind === 'lines') return rangeOf(hunk.changes);
  const linesOf = (bytes: Buffer | null) =>
    hunk.kind === 'mode' || bytes === null || !isText(bytes)
      ? 0
      : splitLines(bytes.toString('utf8')).length;
  return { oldFrom: 0, oldTo: linesOf(change.before), newFrom: 0, newTo: linesOf(change.after) };
}

function toHunk(hunk: Hunk, file: ReviewedFile): ReviewHunk {
  const parts = split(file, hunk).map((part) => ({ id: part.id, ...placed(part, file) }));
  const { id, kind } = hunk;
  const isSplit = parts.length > 1 && parts.length <= MAX_PARTS;
  return { id, kind, ...placed(hunk, file), ...(isSplit && { parts }) };
}

export interface ReviewFilesContext {
  /** Who wrote the file. */
  streamsOf(path: string): string[];
  scrub(text: string): string;
}

export function toReviewFiles(
  files: readonly ReviewedFile[],
  { streamsOf, scrub }: ReviewFilesContext,
): ReviewFile[] {
  const gone = new Map(
    files.flatMap(({ change: { path, before, after } }) =>
      after === null && before !== null && before.length > 0 ? [[sha256(before), path]] : [],
    ),
  );
  let bytes = 0;
  return files.map((file) => {
    const { before, after } = file.change;
    const { path, kind, additions, deletions } = summaryOf(file.change);
    const sides = [before, after];
    const isBinary = sides.some((side) => side !== null && !isText(side));
    const size = sides.reduce((sum, side) => sum + (side?.length ?? 0), 0);
    const isLarge =
      sides.some((side) => (side?.length ?? 0) > MAX_REVIEW_TEXT) ||
      bytes + size > MAX_REVIEW_BYTES;
    const notShown = isBinary ? 'binary' : isLarge ? 'large' : null;
    if (notShown === null) bytes += size;
    const shown = (side: Buffer | null) =>
      side === null || notShown !== null ? null : scrub(side.toString('utf8'));
    const renamedFrom = before === null && after !== null ? gone.get(sha256(after)) : undefined;
    const shownFile: ReviewFile = {
      path,
      kind,
      renamedFrom: renamedFrom ?? null,
      streams: streamsOf(path),
      isBinary,
      isSteering: isSteeringFile(path),
      additions,
      deletions,
      size: after?.length ?? 0,
      hunks: file.hunks.map((hunk) => toHunk(hunk, file)),
      before: shown(before),
      after: shown(after),
      notShown,
    };
    if (bytesOf(shownFile) <= MAX_PAGE_BYTES) return shownFile;
    // Of a text of quotes or control characters little more than half fits.
    return { ...shownFile, before: null, after: null, notShown: 'large' };
  });
}

const bytesOf = (file: ReviewFile) => Buffer.byteLength(JSON.stringify(file));

/** In pages; once the review is open nothing of it changes any more. */
export async function sendReviewFiles(
  client: MillraceClient,
  approvalId: string,
  files: readonly ReviewFile[],
  signal: AbortSignal,
): Promise<void> {
  const { state } = await client.reviews.get(approvalId, { signal });
  if (state !== 'loading') return;
  for (let from = 0; from < files.length;) {
    let to = from;
    for (let bytes = 0; to < files.length && to - from < MAX_SENT_FILES; to++) {
      bytes += bytesOf(files[to]!);
      if (bytes > MAX_PAGE_BYTES && to > from) break;
    }
    await client.reviews.sendFiles(approvalId, { from, files: files.slice(from, to) }, { signal });
    from = to;
  }
}
