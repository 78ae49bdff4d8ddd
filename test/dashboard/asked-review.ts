// Reviews as the command of a run asks for them: with the hunks of real texts, by the typed client.
import { MillraceClient } from '../../src/client/index.ts';
import type { NewApproval } from '../../src/client/approvals.ts';
import type { ReviewFile, ReviewHunk } from '../../src/contract/review-api.ts';
import { countLines } from '../../src/domain/diff/count-lines.ts';
import type { Change } from '../../src/domain/diff/hunks.ts';
import { splitHunk, textHunks } from '../../src/domain/review/hunks.ts';
import type { TextHunk } from '../../src/domain/review/hunks.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { hashOf } from '../approvals/ask.ts';

const digest = (text: string) => sha256(Buffer.from(text)).slice(0, 16);

/** Where the hunk is on the new side: as far from its first change as on the old one. */
function placeOf({ from, to, changes }: TextHunk) {
  const first = changes[0]!;
  const newFrom = first.newAt - (first.oldAt - from);
  const more = changes.reduce((sum, { added, removed }: Change) => sum + added.length - removed, 0);
  return { oldFrom: from, oldTo: to, newFrom, newTo: newFrom + (to - from) + more };
}

/** `null`: there is no such file. */
export function changedFile(
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<ReviewFile> = {},
): ReviewFile {
  const [old, fresh] = [before ?? '', after ?? ''];
  const hunks: ReviewHunk[] =
    after === null
      ? [
          {
            id: digest(`${path} whole`),
            kind: 'whole',
            oldFrom: 0,
            oldTo: old.split('\n').length - 1,
            newFrom: 0,
            newTo: 0,
          },
        ]
      : textHunks({ path, before: old, after: fresh }, digest).map((hunk) => {
          const parts = splitHunk(old, hunk, digest);
          return {
            id: hunk.id,
            kind: 'lines',
            ...placeOf(hunk),
            ...(parts.length > 1 && {
              parts: parts.map((part) => ({ id: part.id, ...placeOf(part) })),
            }),
          };
        });
  return {
    path,
    kind: before === null ? 'create' : after === null ? 'delete' : 'edit',
    renamedFrom: null,
    streams: ['api'],
    isBinary: false,
    isSteering: false,
    ...countLines(old, fresh),
    size: fresh.length,
    hunks,
    before,
    after,
    notShown: null,
    ...more,
  };
}

let runs = 0;

export interface AskedReview {
  id: string;
  hash: string;
  runId: string;
  client: MillraceClient;
}

export interface AskOptions {
  review?: Partial<NonNullable<NewApproval['review']>>;
  approval?: Partial<NewApproval>;
  /** Only the first ones are sent: the rest is still coming. */
  sent?: number;
}

const PAGE = 100;

export async function askReview(
  { url }: { url: string },
  key: string,
  files: readonly ReviewFile[],
  { review = {}, approval = {}, sent = files.length }: AskOptions = {},
): Promise<AskedReview> {
  const client = new MillraceClient(url, key);
  const runId = `run-review-${process.pid}-${++runs}`;
  const asked = await client.approvals.create({
    kind: 'changes',
    runId,
    title: `Review of ${runId}`,
    hash: hashOf(runId),
    review: {
      files: files.length,
      isApplied: true,
      command: `millrace review ${runId}`,
      ...review,
    },
    ...approval,
  });
  for (let from = 0; from < sent; from += PAGE) {
    const some = files.slice(from, Math.min(sent, from + PAGE));
    await client.reviews.sendFiles(asked.id, { from, files: some });
  }
  return { id: asked.id, hash: asked.hash, runId: asked.runId, client };
}
