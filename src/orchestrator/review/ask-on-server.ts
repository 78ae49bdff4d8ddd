// A review in the browser: the server keeps the files and what readers say; the command that asked carries it out, now or
// when it is typed again.
import { join } from 'node:path';
import { z } from 'zod';
import type { MillraceClient, Approval } from '../../client/index.ts';
import { MAX_REVIEW_FILES } from '../../contract/review-api.ts';
import type { NewReview, ReviewOutcome, ReviewSubmission } from '../../contract/review-api.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import { sha256 } from '../../platform/sha256.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { summaryOf } from '../apply/summary.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import { OrchestratorError } from '../errors.ts';
import type { FoundRun } from '../project/find-run.ts';
import { askApproval, hashOfChanges } from '../run/ask-approval.ts';
import type { GateAnswer, GateQuestion } from '../run/ask-approval.ts';
import { readRecord, runFolderOf, writeRecord } from '../state/run-folder.ts';
import type { OpenedReview } from './open-review.ts';
import { toReviewFiles } from './review-files.ts';
import type { ReviewedFile } from './reviewed-file.ts';
import { writersOf } from './touched-streams.ts';

const Asked = z.object({
  v: z.literal(1),
  /** How many reviews of the run were answered and carried out: the same changes may be asked about again. */
  answered: z.int().min(0),
  /** The last one that was. */
  previous: z.string().optional(),
  /** Waits for an answer, or for a command that carries it out. */
  open: z.string().optional(),
});
type AskedRecord = z.infer<typeof Asked>;

const fileOf = (stateDir: string, runId: string) =>
  join(runFolderOf(stateDir, runId), 'review-on-server.json');

const readAsked = async (stateDir: string, runId: string): Promise<AskedRecord> =>
  (await readRecord(fileOf(stateDir, runId), Asked)) ?? { v: 1, answered: 0 };

export interface ServerReview {
  client: MillraceClient;
  stateDir: string;
  scrub(text: string): string;
  signal: AbortSignal;
  /** What carries it out when nobody waits for it. */
  command: string;
  onOpen(approval: Approval): void;
}

export function reviewQuestion(
  files: readonly ReviewedFile[],
  { scrub, streamsOf }: { scrub(text: string): string; streamsOf(path: string): string[] },
  about: Omit<NewReview, 'files'>,
): Pick<GateQuestion, 'kind' | 'detail' | 'format' | 'review'> {
  if (files.length > MAX_REVIEW_FILES) {
    throw new OrchestratorError({
      code: 'CONFLICT',
      message: `The browser shows at most ${MAX_REVIEW_FILES} files, and there are ${files.length}.`,
      hint: 'Review them at the terminal: leave out --review-in.',
    });
  }
  const detail = scrub(files.map(({ change }) => unifiedDiff(change)).join(''));
  const sent = toReviewFiles(files, { scrub, streamsOf });
  return { kind: 'changes', detail, format: 'diff', review: { about, files: sent } };
}

/** Asks about what the run has written; a command that comes back finds what was asked before. */
export async function askOnServer(
  { client, stateDir, scrub, signal, command, onOpen }: ServerReview,
  { runId, events }: FoundRun,
  { files, round, carried, failed }: OpenedReview,
): Promise<GateAnswer> {
  const asked = await readAsked(stateDir, runId);
  const changes = files.map(({ change }) => change);
  const paths = new Set(changes.map(({ path }) => path));
  const { entries } = await appliedChanges(stateDir, runId);
  const writers = await writersOf(entries, projectionOf(events), paths);
  const streamsOf = (path: string) =>
    [...writers].flatMap(([id, wrote]) => (wrote.includes(path) ? [id] : []));
  const sums = changes.map(summaryOf);
  const sum = (name: 'additions' | 'deletions') => sums.reduce((all, one) => all + one[name], 0);
  const count = `${files.length} file${files.length === 1 ? '' : 's'}`;
  const question: GateQuestion = {
    ...reviewQuestion(
      files,
      { scrub, streamsOf },
      {
        round,
        isApplied: true,
        comments: carried,
        command,
        ...(asked.previous !== undefined && { previous: asked.previous }),
        ...(failed && { failed }),
      },
    ),
    title: `Review ${runId}${round > 1 ? `, round ${round}` : ''}: ${count}, +${sum('additions')} -${sum('deletions')}`,
    hash: sha256(JSON.stringify([runId, asked.answered, hashOfChanges(changes)])),
  };
  return askApproval({ options: { client }, runId }, question, {
    signal,
    async onOpen(approval) {
      // The files are others than when that was asked.
      if (asked.open !== undefined && asked.open !== approval.id) {
        await client.approvals.withdraw(asked.open, { signal }).catch(() => undefined);
      }
      await writeRecord(fileOf(stateDir, runId), { ...asked, open: approval.id });
      onOpen(approval);
    },
  });
}

export function answersOf({ decisions, comments }: ReviewSubmission): {
  decisions: Decisions;
  comments: Comments;
} {
  return {
    decisions: new Map(Object.entries(decisions).map(([id, kind]) => [id, { kind }])),
    comments: new Map(Object.entries(comments)),
  };
}

/** A round was made of it before, by a process that did not come to say so. */
export const wasMade = ({ comments }: ReviewSubmission, { carried }: OpenedReview): boolean => {
  const ids = Object.keys(comments);
  const known = new Set(carried.map(({ id }) => id));
  return ids.length > 0 && ids.every((id) => known.has(id));
};

/** After it was carried out: the next review is another one. */
export async function endOnServer(
  { client, stateDir }: Pick<ServerReview, 'client' | 'stateDir'>,
  runId: string,
  { approvalId, ...outcome }: ReviewOutcome & { approvalId: string },
): Promise<void> {
  const asked = await readAsked(stateDir, runId);
  await writeRecord(fileOf(stateDir, runId), {
    v: 1,
    answered: asked.answered + 1,
    previous: approvalId,
  });
  // A reader learns it; what was done stands without that.
  await client.reviews.end(approvalId, outcome).catch(() => undefined);
}
