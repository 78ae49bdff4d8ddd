// What a review says: of a run, whose changes are written, and of an execution, whose changes may still be to be written.
import type { ReviewCounts, SubmittedReview } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { shownOutput } from './checked-outside.ts';
import type { HunkQuestions } from './ask-hunks.ts';
import { showJson, showSubmitted } from './review-outcome.ts';

export interface ReviewWords {
  /** That continues it; in the browser with the flags for that. */
  command(...more: string[]): string;
  inBrowser(): string;
  keys: HunkQuestions['words'];
  question(what: string): string;
  /** Of the counts of hunks. */
  counted: { accepted: string; rejected: string };
  verdicts: Readonly<Record<'apply' | 'changes' | 'reject', string>>;
  /** A sentence, where the review has come to nothing. */
  notDone: string;
  /** Exit codes. */
  nothingLeft(): Promise<number> | number;
  allKept(counts: ReviewCounts): number;
  showSubmitted(submitted: SubmittedReview, exit: number | undefined): number;
}

const QUIT = 'leave; your answers are kept, and nothing is';

const OF_WRITTEN = {
  keys: { yes: 'keep', no: 'take back', quit: `${QUIT} taken back yet` },
  question: (what: string) => `Keep this ${what}?`,
  counted: { accepted: 'kept', rejected: 'to take back' },
  verdicts: {
    changes: 'what is turned down goes, and streams do what the comments say',
    apply: 'apply what is decided, and keep the comments for later',
  },
  notDone: 'Nothing was taken back.',
};

export function wordsOfRun(
  runId: string,
  options: CommandOptions,
  nothingLeft: () => Promise<number>,
): ReviewWords {
  return {
    ...OF_WRITTEN,
    command: (...more) => commandLine('review', runId, ...more),
    inBrowser: () => commandLine('review', runId, '--review-in', 'web'),
    verdicts: { ...OF_WRITTEN.verdicts, reject: 'reject everything that the run wrote' },
    nothingLeft,
    allKept({ accepted }) {
      if (options['json']) showJson({ runId, files: [], accepted, rejected: 0 });
      return EXIT.ok;
    },
    showSubmitted: (submitted, exit) => showSubmitted(submitted, options, exit),
  };
}

/** Applied before. */
export function wordsOfApplied(id: string, options: CommandOptions): ReviewWords {
  return {
    ...OF_WRITTEN,
    command: (...more) => commandLine('review', id, ...more),
    inBrowser: () => commandLine('review', id, '--review-in', 'web'),
    verdicts: { ...OF_WRITTEN.verdicts, reject: 'reject everything that was applied' },
    nothingLeft() {
      if (options['json']) showJson({ executionId: id, files: [], accepted: 0, rejected: 0 });
      else {
        note(
          `Nothing of ${id} is applied here. Look through it before it is written: ${commandLine('apply', id, '--review')}`,
        );
      }
      return EXIT.ok;
    },
    allKept({ accepted }) {
      if (options['json']) showJson({ executionId: id, files: [], accepted, rejected: 0 });
      return EXIT.ok;
    },
    showSubmitted: (submitted, exit) =>
      showExecution(submitted, { isApplied: true, options, exit }),
  };
}

/** Before it is applied. */
export function wordsOfUnwritten(id: string, options: CommandOptions): ReviewWords {
  return {
    command: (...more) => commandLine('apply', id, '--review', ...more),
    inBrowser: () => commandLine('apply', id, '--review-in', 'web'),
    keys: { yes: 'write', no: 'leave out', quit: `${QUIT} written yet` },
    question: (what) => `Write this ${what}?`,
    counted: { accepted: 'to write', rejected: 'left out' },
    verdicts: {
      changes: 'what is turned down is left out, and streams do what the comments say',
      apply: 'write what is accepted, without what the comments ask for',
      reject: 'reject everything, and write nothing',
    },
    notDone: 'Nothing was written.',
    nothingLeft() {
      if (options['json']) showJson({ executionId: id, files: [], alreadyApplied: true });
      else {
        print(`${id} is already applied; nothing changed.`);
        note(`Look through what it wrote with: ${commandLine('review', id)}`);
      }
      return EXIT.ok;
    },
    allKept: () => EXIT.ok,
    showSubmitted: (submitted, exit) =>
      showExecution(submitted, { isApplied: false, options, exit }),
  };
}

function showExecution(
  { runId: id, files, accepted, rejected, failed }: SubmittedReview,
  {
    isApplied,
    options,
    exit,
  }: { isApplied: boolean; options: CommandOptions; exit: number | undefined },
): number {
  const output = shownOutput(failed?.output ?? '');
  if (options['json']) {
    const why = failed && { failed: { ...failed, output } };
    showJson({ executionId: id, files, accepted, rejected, ...why });
  } else if (failed !== undefined) {
    complain(`Error: what is left does not hold without the rest: ${plain(failed.error)}`);
    complain(
      `The files are as before. Review again with: ${isApplied ? commandLine('review', id) : commandLine('apply', id, '--review')}`,
    );
  } else {
    const count = countOf(files.length, 'file');
    if (files.length > 0)
      print(isApplied ? `Reviewed ${id}: ${count} changed.` : `Applied ${count} of ${id}.`);
    else if (isApplied) print(`Reviewed ${id}: everything is kept.`);
    else print(`Nothing of ${id} was accepted; nothing was written.`);
    for (const path of files) print(`  ${plain(path)}`);
    if (files.length > 0) note(`Revert with: ${commandLine('revert', id)}`);
  }
  return failed === undefined ? EXIT.ok : (exit ?? EXIT.failed);
}
