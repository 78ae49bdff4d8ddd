// The changes of one stream before they are written, looked through in the browser while other streams work on.
import type { ReviewOutcome, ReviewSubmission } from '../../contract/review-api.ts';
import { linesText } from '../../domain/review/comment.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import type { FileChange } from '../apply/file-change.ts';
import { questionOfChanges } from '../run/ask-approval.ts';
import type { GateQuestion } from '../run/ask-approval.ts';
import type { Attempt, RunContext } from '../run/context.ts';

import { answersOf, reviewQuestion } from './ask-on-server.ts';
import { acceptedChange, toReviewed } from './reviewed-file.ts';

export function heldReview(
  context: RunContext,
  { task }: Attempt,
  changes: FileChange[],
): GateQuestion {
  const { scrub, reviewInBrowser } = context.options;
  const about = {
    round: 1,
    isApplied: false,
    comments: [],
    command: reviewInBrowser!.command,
  };
  const streamsOf = () => [task.id];
  return {
    ...questionOfChanges(context, task.id, changes),
    ...reviewQuestion(changes.map(toReviewed), { scrub, streamsOf }, about),
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

/** The attempt has failed by what the person says, and the next one knows it. */
export function askedFor({ comments }: ReviewSubmission): {
  kind: 'failed';
  failure: StreamFailure;
} {
  const lines = Object.values(comments).map((comment) => {
    const { path, text, suggestion } = comment;
    const instead = suggestion === undefined ? '' : `\nSuggested in their place:\n${suggestion}`;
    return `${path}, ${linesText(comment)}: ${text}${instead}`;
  });
  const error = `The review asks for changes:\n${lines.join('\n')}`;
  return { kind: 'failed', failure: { kind: 'artifact', codes: ['REVIEW'], error } };
}

/** A reader learns what became of it; the run continues without that. */
export async function endReview(
  { options: { client } }: RunContext,
  approvalId: string,
  { kind }: Pick<ReviewOutcome, 'kind'>,
): Promise<void> {
  await client.reviews.end(approvalId, { kind }).catch(() => undefined);
}
