// What a review shows besides hunks: what became of earlier comments, what is about to happen, and what came of it.
import { countDecided } from '../../../orchestrator/index.ts';
import type {
  Decisions,
  OpenedReview,
  ReviewedFile,
  SubmittedReview,
} from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print, styledNote } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { shownOutput } from './checked-outside.ts';
import { commentText } from './hunk-comments.ts';
import type { ReviewWords } from './review-words.ts';

/** The run has come to its end, whatever became of the changes: they can be reviewed. */
export const HAS_ENDED: ReadonlySet<number> = new Set([EXIT.ok, EXIT.failed]);

export function showOpened(opened: OpenedReview): void {
  const { changedSince, failed, round, comments, outdated } = opened;
  for (const { change } of changedSince) {
    note(`${plain(change.path)} was changed since the run and is left as it is.`);
  }
  showCarried(opened);
  for (const id of outdated) {
    const comment = comments.get(id)!;
    complain(styledNote('yellow', `Your comment on ${plain(comment.path)}`));
    complain(commentText(comment, { isOutdated: true }));
  }
  if (failed === undefined) return;
  const what = round > 1 ? 'was not done' : 'did not count';
  complain(`The last submit ${what}: ${plain(failed.stream)}: ${plain(failed.error)}`);
  for (const line of shownOutput(failed.output)) complain(`  ${plain(line)}`);
}

/** Of the round before this one. */
function showCarried({ carried, round, comments }: OpenedReview): void {
  for (const comment of carried) {
    if (comment.round !== round - 1 || comments.has(comment.id)) continue;
    const { path, outcome = 'Not done yet.', outdated } = comment;
    note(styledNote('bold', `Round ${comment.round}: ${plain(path)}`));
    note(commentText(comment, { isOutdated: outdated }));
    note(`  ${plain(outcome)}`);
  }
}

export function summaryOf(
  files: readonly ReviewedFile[],
  decisions: Decisions,
  { comments, words: { counted } }: { comments: number; words: Pick<ReviewWords, 'counted'> },
): string {
  const { accepted, edited, rejected } = countDecided(files, decisions);
  const parts = [
    `${countOf(accepted, 'hunk')} ${counted.accepted}${edited > 0 ? ` (${edited} edited)` : ''}`,
    `${rejected} ${counted.rejected}`,
    ...(comments > 0 ? [countOf(comments, 'comment')] : []),
  ];
  return `${parts.join(', ')}, in ${countOf(files.length, 'file')}.`;
}

export const showJson = (value: object) => print(JSON.stringify(value));

/** Of what was asked for. */
export function showRound({ round, files, runId }: SubmittedReview): void {
  const { number, fixes, placed, left } = round!;
  const asked = fixes.reduce((sum, { comments }) => sum + comments.length, 0);
  const changed = files.length > 0 ? [`${countOf(files.length, 'file')} changed`] : [];
  const suggested = placed.length > 0 ? [`${countOf(placed.length, 'suggestion')} made`] : [];
  const streams =
    asked > 0
      ? [`${countOf(asked, 'comment')} for ${plain(fixes.map(({ fix }) => fix).join(', '))}`]
      : [];
  const all = [...changed, ...suggested, ...streams];
  note(`Round ${number} of ${runId}: ${all.length > 0 ? all.join(', ') : 'nothing to do'}.`);
  for (const why of new Set(left.map((one) => one.why))) complain(`Not done: ${plain(why)}.`);
}

export function showSubmitted(
  { runId, files, accepted, rejected, failed }: SubmittedReview,
  options: CommandOptions,
  exit: number | undefined,
): number {
  const output = shownOutput(failed?.output ?? '');
  if (options['json']) {
    showJson({
      runId,
      files,
      accepted,
      rejected,
      ...(failed && { failed: { ...failed, output } }),
    });
  } else if (failed !== undefined) {
    complain(`Error: ${plain(failed.stream)} does not pass without it: ${plain(failed.error)}`);
    for (const line of output) complain(`  ${plain(line)}`);
    complain(`The files are as before. Review again with: ${commandLine('review', runId)}`);
  } else {
    print(
      `Reviewed ${runId}: ${files.length === 0 ? 'everything is kept.' : `${countOf(files.length, 'file')} changed.`}`,
    );
    for (const path of files) print(`  ${plain(path)}`);
  }
  if (failed === undefined) return EXIT.ok;
  return exit ?? EXIT.failed;
}
