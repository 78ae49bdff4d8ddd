// What a fix gets to know about the attempts before it.
import { headAndTailOf, quoted, stripTerminal } from './prompt-text.ts';
import { reviewLines } from './review-lines.ts';
import type { ReviewRequest } from './review-lines.ts';

export interface FixDetails {
  failed: {
    command: string;
    exitCode: number | null;
    timedOut: boolean;
    output: string;
    /** The stream whose check it is, when it is another one's. */
    checks?: string | undefined;
  }[];
  error: string;
  /** What was written and rolled back; empty when nothing was. */
  diff: string;
  /** What the model said, where nothing came of it. */
  answer?: string | undefined;
  /** Why the attempts before that failed, in short. */
  earlier?: readonly string[] | undefined;
  /** Of a fix that a review asks for, also when an attempt at it has failed. */
  review?: ReviewRequest | undefined;
  attempt: number;
  of: number;
}

const KEPT_OUTPUT = 8 * 1024;
const KEPT_ANSWER = 16 * 1024;
const KEPT_DIFF = 16 * 1024;

type Failed = FixDetails['failed'][number];

function howItEnded({ exitCode, timedOut }: Failed): string {
  if (timedOut) return 'ran out of time';
  return exitCode === null ? 'was ended by a signal' : `exited with ${exitCode}`;
}

function commandLines(one: Failed): string {
  const output = headAndTailOf(stripTerminal(one.output), KEPT_OUTPUT);
  const said = output.trim() === '' ? 'It printed nothing.' : quoted(output, 'text');
  const whose =
    one.checks === undefined ? '' : ` It checks the work of "${one.checks}", and passed before.`;
  return `This command ${howItEnded(one)}.${whose}\n${quoted(one.command, 'sh')}\n${said}`;
}

function earlierLines(earlier: readonly string[] = []): string[] {
  if (earlier.length === 0) return [];
  const list = earlier.map((error, at) => `${at + 1}. ${stripTerminal(error)}`).join('\n');
  return [`Attempts before that failed as well:\n${quoted(list, 'text')}`];
}

/** What differs between an answer, which is shown the files, and an agent, which looks at them itself. */
interface FixWords {
  nothingWritten: string;
  rolledBack: string;
  last: string;
}

const OF_ANSWER: FixWords = {
  nothingWritten: 'Nothing was written: the files above are as they were.',
  rolledBack: 'Its changes were rolled back: the files above are as they were before it.',
  last: 'Find the cause, then hand in the whole change again, corrected.',
};

export const FIX_BY_AGENT: FixWords = {
  nothingWritten: 'Nothing of it was kept: the files are as they were.',
  rolledBack: 'Its changes were rolled back: the files are as they were before it.',
  last: 'Find the cause, then make the whole change again, corrected.',
};

/** For an agent that remembers the attempt, and so what it tried and said. */
const FIX_IN_SESSION: FixWords = {
  nothingWritten: 'Nothing of it was kept.',
  rolledBack: 'Its changes were rolled back.',
  last: 'You work in a fresh copy of the project: nothing that you changed before is in it, and other files may have changed since. Look at a file again before you change it. Find the cause, then make the whole change again, corrected.',
};

export const sessionFixLines = (details: FixDetails): string[] =>
  whatWentWrong(details, FIX_IN_SESSION);

function whatWentWrong(
  { failed, error, diff, review, attempt, of }: FixDetails,
  { nothingWritten, rolledBack, last }: FixWords,
  between: readonly string[] = [],
): string[] {
  const asked = review === undefined ? [] : reviewLines(review);
  // The first attempt at what a review asks for.
  if (review !== undefined && error === '') return asked;
  const files = diff === '' ? nothingWritten : rolledBack;
  return [
    ...asked,
    `# What went wrong\n\nThis is attempt ${attempt} of ${of}. The last one failed. ${files}`,
    ...(failed.length > 0 ? failed.map(commandLines) : [quoted(stripTerminal(error), 'text')]),
    ...between,
    last,
  ];
}

export function fixLines(details: FixDetails, words: FixWords = OF_ANSWER): string[] {
  const { diff, answer = '', earlier } = details;
  return whatWentWrong(details, words, [
    ...(diff === ''
      ? []
      : [`What was tried and did not pass:\n${quoted(headAndTailOf(diff, KEPT_DIFF), 'diff')}`]),
    ...(diff === '' && answer !== ''
      ? [`What was answered:\n${quoted(headAndTailOf(answer, KEPT_ANSWER), 'text')}`]
      : []),
    ...earlierLines(earlier),
  ]);
}
