// --review-in web of a review and of `apply`: the server keeps the question, a person decides in the browser, and this command waits
// for the answer and carries it out. Killed at any point, it finds the same question when it is typed again.
import {
  OrchestratorError,
  answersOf,
  askOnServer,
  denialText,
  dropOnServer,
  endOnServer,
  writeDraft,
} from '../../../orchestrator/index.ts';
import type {
  AnsweredReview,
  OpenedReview,
  ReviewOutcome,
  ReviewSubject,
} from '../../../orchestrator/index.ts';
import { createScrubber } from '../../../platform/log.ts';
import { CommandError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { openServer } from '../../open-client.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { complain, note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { browserOf, openBrowser } from '../account/open-browser.ts';
import { checkedBy } from './checked-outside.ts';
import type { Project } from './project.ts';
import { showRound } from './review-outcome.ts';
import type { ReviewWords } from './review-words.ts';
import type { StopControl } from './stop-control.ts';

export interface ReviewSession {
  project: Project;
  subject: ReviewSubject;
  words: ReviewWords;
  opened: OpenedReview;
  options: CommandOptions;
}

/** An exit code, or that it is asked about again: what a round has changed, or what was not done. */
export type ReviewStep = number | { isRound: boolean };

export async function decideInBrowser(
  session: ReviewSession,
  stop: StopControl,
): Promise<ReviewStep> {
  const { project, subject, words, opened, options } = session;
  const { runId } = subject;
  const { stateDir } = project;
  const { client, url, asOwner } = await openServer(options);
  const scrubber = createScrubber();
  const command = words.inBrowser();
  const server = { client, stateDir, command, signal: stop.signal };
  const answer = await askOnServer(
    {
      ...server,
      scrub: (text) => scrubber.scrub(text),
      onOpen: ({ id, byOther }) =>
        showPage(`${url}/approvals/${id}`, { byOther, asOwner, options }),
    },
    subject,
    opened,
  );
  if (answer.kind === 'stopped') {
    note(`The review stays open. Carry it out with: ${command}`);
    return stop.exit() ?? EXIT.interrupted;
  }
  if (answer.kind === 'halted') {
    const hint = `Nothing is lost. Carry it out with: ${command}`;
    throw new CommandError({
      code: 'UNREACHABLE',
      message: plain(answer.halt.reason),
      hint,
      exit: EXIT.failed,
    });
  }
  const end = (outcome: ReviewOutcome) => endOnServer(server, runId, outcome);
  const { review } = answer;
  if (review === undefined) {
    await end({ kind: 'failed', text: '' });
    complain(
      answer.kind === 'denied'
        ? plain(denialText({ kind: 'changes' }, answer))
        : 'It was approved, and nothing was decided.',
    );
    note(`${words.notDone} Ask again with: ${command}`);
    return EXIT.failed;
  }
  return carryOut(session, { review, end, stop });
}

function showPage(
  page: string,
  {
    byOther,
    asOwner,
    options,
  }: { byOther: string | null; asOwner: boolean; options: CommandOptions },
): void {
  const advice = byOther === 'advised' ? ' Your team wants another person to approve it.' : '';
  note(`Review the changes at ${page}\nThis command waits for it.${advice}`);
  // There may be no password yet.
  if (asOwner) note(`A link that signs you in: ${commandLine('admin', 'sign-in-link')}`);
  const opener = mayAsk(options, process.env)
    ? browserOf(process.env, process.platform)
    : undefined;
  if (opener !== undefined) openBrowser(page, opener);
}

interface Answered {
  review: AnsweredReview;
  end(outcome: ReviewOutcome): Promise<void>;
  stop: StopControl;
}

async function carryOut(
  { project, subject, words, opened: { round }, options }: ReviewSession,
  { review: { submission }, end, stop }: Answered,
): Promise<ReviewStep> {
  const { runId } = subject;
  note(`${plain(submission.by.email)} has submitted the review.`);
  const answers = answersOf(submission);
  const { verdict } = submission;
  const checked = checkedBy(project, options, stop.signal);
  let submitted;
  try {
    submitted = await subject.submit({ ...checked, verdict, answers, round });
  } catch (error) {
    // It can never be carried out as it is; what was said is kept for the next review.
    if (error instanceof OrchestratorError && error.code === 'CONFLICT') {
      await writeDraft(project.stateDir, runId, answers);
      await end({ kind: 'failed', text: error.message });
    }
    throw error;
  }
  const { kind, failed } = submitted;
  // Stopped in the middle of a check: the files are as before, and the answer waits.
  if (kind === 'failed' && stop.signal.aborted) {
    note(`${words.notDone} Carry it out with: ${words.inBrowser()}`);
    return stop.exit() ?? EXIT.interrupted;
  }
  const text = failed === undefined ? '' : `${failed.stream} does not pass: ${failed.error}`;
  await end({ kind, text });
  if (kind === 'round') {
    showRound(submitted);
    return { isRound: true };
  }
  if (kind === 'applied') return words.showSubmitted(submitted, stop.exit());
  complain(`Not done, and the files are as before: ${plain(text)}`);
  return { isRound: false };
}

/** The run has no changes that could be reviewed: what is still asked about them needs no answer. */
export async function endInBrowser({
  project,
  subject,
  opened,
  options,
}: ReviewSession): Promise<void> {
  const connect = async () => (await openServer(options)).client;
  await dropOnServer({ stateDir: project.stateDir, connect }, subject.runId, opened);
}
