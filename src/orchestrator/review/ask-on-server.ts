// A review in the browser: the server keeps the files and what readers say; the command that asked carries it out, now or
// when it is typed again.
import { join } from 'node:path';
import { z } from 'zod';
import { MillraceError } from '../../client/index.ts';
import type { Approval, MillraceClient } from '../../client/index.ts';
import { MAX_DRAFT_COMMENTS, MAX_OUTCOME, MAX_REVIEW_FILES } from '../../contract/review-api.ts';
import type { NewReview, ReviewOutcome, ReviewSubmission } from '../../contract/review-api.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import { sha256 } from '../../platform/sha256.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { OrchestratorError } from '../errors.ts';
import { askApproval, hashOfChanges, titleOfChanges } from '../run/ask-approval.ts';
import type { GateAnswer, GateQuestion } from '../run/ask-approval.ts';
import { readRecord, runFolderOf, writeRecord } from '../state/run-folder.ts';
import type { OpenedReview } from './open-review.ts';
import { toReviewFiles } from './review-files.ts';
import { hunkIdsOf } from './reviewed-file.ts';
import type { ReviewedFile } from './reviewed-file.ts';

const Asked = z.object({
  v: z.literal(1),
  /** How many reviews of the run are over: the same changes may be asked about again. */
  answered: z.int().min(0),
  /** The last one: what readers have said about hunks that are the same is kept. */
  previous: z.string().optional(),
  /** Waits for an answer, or for a command that carries it out. */
  open: z.object({ id: z.string(), hash: z.string(), round: z.int().min(1) }).optional(),
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

/** What a review is about. */
export interface AskedAbout {
  /** Of the run, or of the execution. */
  runId: string;
  isApplied: boolean;
  /** By stream: which of these files it wrote. */
  writersOf(paths: ReadonlySet<string>): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** Asks about the changes; a command that comes back finds what was asked before. */
export async function askOnServer(
  server: ServerReview,
  about: AskedAbout,
  opened: OpenedReview,
): Promise<GateAnswer> {
  const { client, stateDir, signal, onOpen } = server;
  const { runId } = about;
  const { files, round } = opened;
  const changes = files.map(({ change }) => change);
  const digest = hashOfChanges(changes);
  const hashOf = ({ answered }: AskedRecord) => sha256(JSON.stringify([runId, answered, digest]));
  let asked = await readAsked(stateDir, runId);
  const { open } = asked;
  if (open !== undefined && (open.round !== round || open.hash !== hashOf(asked))) {
    await settleOpen(server, runId, opened);
    asked = await readAsked(stateDir, runId);
  }
  const hash = hashOf(asked);
  const question = { ...(await questionOf(server, about, { opened, asked })), hash };
  const note = (id: string) =>
    writeRecord(fileOf(stateDir, runId), { ...asked, open: { id, hash, round } });
  const answer = await askApproval({ options: { client }, runId }, question, {
    signal,
    stays: true,
    async onOpen(approval) {
      const { id } = approval;
      const isNew = asked.open?.id !== id;
      await note(id);
      if (isNew) await sendDraft(server, id, opened);
      onOpen(approval);
    },
  });
  // The process that asked may have died before it wrote that down.
  if ('review' in answer && answer.review !== undefined) await note(answer.review.approvalId);
  return answer;
}

async function questionOf(
  { scrub, command }: ServerReview,
  { runId, isApplied, writersOf }: AskedAbout,
  {
    opened: { files, round, carried, failed },
    asked: { previous },
  }: { opened: OpenedReview; asked: AskedRecord },
): Promise<Omit<GateQuestion, 'hash'>> {
  const changes = files.map(({ change }) => change);
  const writers = await writersOf(new Set(changes.map(({ path }) => path)));
  const streamsOf = (path: string) =>
    [...writers].flatMap(([id, wrote]) => (wrote.includes(path) ? [id] : []));
  const about = {
    round,
    isApplied,
    comments: carried,
    command,
    ...(previous !== undefined && { previous }),
    ...(failed && { failed }),
  };
  return {
    ...reviewQuestion(files, { scrub, streamsOf }, about),
    title: titleOfChanges(`Review ${runId}${round > 1 ? `, round ${round}` : ''}`, changes),
  };
}

/** What its person has said at a terminal, so that it need not be said again. */
async function sendDraft(
  { client, signal }: ServerReview,
  approvalId: string,
  { decisions, comments, carried }: OpenedReview,
): Promise<void> {
  const isCarried = new Set(carried.map(({ id }) => id));
  const own = [...comments].filter(([id]) => !isCarried.has(id));
  const decided = [...decisions].flatMap(([id, { kind }]) =>
    kind === 'edited' ? [] : [[id, kind] as const],
  );
  try {
    const { draft } = await client.reviews.get(approvalId, { signal });
    const missing = decided.filter(([id]) => !(id in draft.decisions));
    if (missing.length > 0) {
      const changes = { decisions: Object.fromEntries(missing) };
      await client.reviews.changeDraft(approvalId, changes, { signal });
    }
    for (let at = 0; at < own.length; at += MAX_DRAFT_COMMENTS) {
      const some = Object.fromEntries(own.slice(at, at + MAX_DRAFT_COMMENTS));
      await client.reviews.changeDraft(approvalId, { comments: some }, { signal });
    }
  } catch (error) {
    // Another person has to answer: theirs is empty, and this one stays with the run.
    if (!(error instanceof MillraceError)) throw error;
  }
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

type Ending = Pick<ServerReview, 'client' | 'stateDir'>;

/** After it was carried out, or could not be: the next review is another one. */
export async function endOnServer(
  { client, stateDir }: Ending,
  runId: string,
  { kind, text: said }: ReviewOutcome,
): Promise<void> {
  const { answered, open } = await readAsked(stateDir, runId);
  if (open !== undefined) {
    // Of a check that prints a lot, as much as is taken.
    const text = said.replaceAll('\0', '').slice(0, MAX_OUTCOME).toWellFormed();
    // Before it is forgotten here, so that it is said after a kill. What was done stands without that.
    await client.reviews.end(open.id, { kind, text }).catch(() => undefined);
  }
  await writeRecord(fileOf(stateDir, runId), {
    v: 1,
    answered: answered + 1,
    ...(open && { previous: open.id }),
  });
}

/** Of one that is about other files than those there are now: a process has ended before it could say what became of it. */
async function settleOpen(server: Ending, runId: string, opened: OpenedReview): Promise<void> {
  const { client, stateDir } = server;
  const { open } = await readAsked(stateDir, runId);
  if (open === undefined) return;
  const { submission } = await client.reviews.take(open.id);
  if (submission === null) {
    // Denied by time, or withdrawn before.
    await client.approvals.withdraw(open.id).catch(() => undefined);
    return endOnServer(server, runId, { kind: 'failed', text: '' });
  }
  if (opened.round > open.round) return endOnServer(server, runId, { kind: 'round', text: '' });
  const there = new Set(opened.files.flatMap((file) => [...hunkIdsOf(file)]));
  const isDone = Object.entries(submission.decisions).every(
    ([id, kind]) => kind === 'accepted' || !there.has(id),
  );
  const outcome = { kind: 'failed' as const, text: 'The files have changed since.' };
  return endOnServer(server, runId, isDone ? { kind: 'applied', text: '' } : outcome);
}

/** What was said in the review before says nothing about the next one. */
export async function forgetPrevious(stateDir: string, runId: string): Promise<void> {
  const { previous, ...asked } = await readAsked(stateDir, runId);
  if (previous !== undefined) await writeRecord(fileOf(stateDir, runId), asked);
}

/** There is nothing left to be reviewed. */
export async function dropOnServer(
  { stateDir, connect }: { stateDir: string; connect(): Promise<MillraceClient> },
  runId: string,
  opened: OpenedReview,
): Promise<void> {
  const { open } = await readAsked(stateDir, runId);
  if (open !== undefined) await settleOpen({ stateDir, client: await connect() }, runId, opened);
}
