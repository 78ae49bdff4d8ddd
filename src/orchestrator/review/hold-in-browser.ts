// The changes of one stream before they are written, looked through in the browser while other streams work on.
import type { ReviewOutcome, ReviewSubmission } from '../../contract/review-api.ts';
import type { AskedChanges, HeldChanges } from '../../domain/review/held-changes.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import type { FileChange } from '../apply/file-change.ts';
import { questionOfChanges } from '../run/ask-approval.ts';
import type { GateQuestion } from '../run/ask-approval.ts';
import type { Attempt, RunContext } from '../run/context.ts';

import { answersOf, reviewQuestion } from './ask-on-server.ts';
import { carriedTo, questionHash } from './held-round.ts';
import { acceptedChange, toReviewed } from './reviewed-file.ts';

export function heldReview(
  context: RunContext,
  { task }: Attempt,
  { changes, held }: { changes: FileChange[]; held: HeldChanges | undefined },
): GateQuestion {
  const { scrub, reviewInBrowser } = context.options;
  const files = changes.map(toReviewed);
  const about = {
    round: held?.round ?? 1,
    isApplied: false,
    comments: held === undefined ? [] : carriedTo(files, held, task.id),
    command: reviewInBrowser!.command,
    ...(held && { previous: held.previous }),
  };
  const streamsOf = () => [task.id];
  const question = questionOfChanges(context, task.id, changes);
  return {
    ...question,
    ...reviewQuestion(files, { scrub, streamsOf }, about),
    hash: questionHash(question.hash, held),
  };
}

/** Undefined where nothing is left. What nobody said anything about was approved with the rest. */
export function keptOf(
  changes: readonly FileChange[],
  submission: ReviewSubmission,
): FileChange[] | undefined {
  const { decisions } = answersOf(submission);
  const files = changes.map(toReviewed);
  const kept = files.flatMap((file) => acceptedChange(file, decisions, 'accepted') ?? []);
  return kept.length === 0 ? undefined : kept;
}

export const asksForChanges = ({ verdict, comments }: ReviewSubmission): boolean =>
  verdict === 'changes' && Object.keys(comments).length > 0;

/** The attempt has ended with what the person says, and the next one knows it. */
export function askedFor(asked: AskedChanges): { kind: 'failed'; failure: StreamFailure } {
  const { length } = asked.comments;
  const error = `The review asks for changes: ${length} comment${length === 1 ? '' : 's'}.`;
  return { kind: 'failed', failure: { kind: 'review', error, asked } };
}

/** A reader learns what became of it; the run continues without that. */
export async function endReview(
  { options: { client } }: RunContext,
  approvalId: string,
  { kind }: Pick<ReviewOutcome, 'kind'>,
): Promise<void> {
  await client.reviews.end(approvalId, { kind }).catch(() => undefined);
}
