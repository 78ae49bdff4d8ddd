// A review, round after round, until there is nothing more to ask for: at the terminal or in the browser.
import { changesIt, countDecided, writeDraft } from '../../../orchestrator/index.ts';
import type { Decision, OpenRound, ReviewVerdict } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { ask } from '../../terminal/ask.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { complain, note } from '../../terminal/output.ts';
import { askHunks } from './ask-hunks.ts';
import { checkedBy, exitOfInvalid } from './checked-outside.ts';
import { continueRound } from './continue-round.ts';
import { HAS_ENDED, showOpened, showRound, summaryOf } from './review-outcome.ts';
import { decideInBrowser, endInBrowser } from './review-in-browser.ts';
import type { ReviewSession, ReviewStep } from './review-in-browser.ts';
import type { ReviewWords } from './review-words.ts';
import { createStopControl } from './stop-control.ts';
import type { StopControl } from './stop-control.ts';

/** `session`: all but what is looked at now. Its exit code. */
export async function reviewInRounds(
  about: Omit<ReviewSession, 'opened'>,
  { isInBrowser, isAgain: wantsAll }: { isInBrowser: boolean; isAgain: boolean },
): Promise<number> {
  const { subject, words, options } = about;
  const open = await subject.findOpenRound();
  const isResumed =
    open !== undefined &&
    (open.state === 'interrupted' || !mayAsk(options, process.env) || (await wantsResume(open)));
  if (isResumed) {
    const exit = await resume(about, open);
    if (exit !== undefined) return exit;
  }
  let isAgain = wantsAll;
  for (;;) {
    const opened = await subject.open();
    showOpened(opened);
    const session = { ...about, opened };
    if (opened.files.length === 0) {
      if (isInBrowser) await endInBrowser(session);
      return words.nothingLeft();
    }
    const next = await once(options, (stop) =>
      isInBrowser ? decideInBrowser(session, stop) : decideAndSubmit({ ...session, isAgain }, stop),
    );
    if (typeof next === 'number') return next;
    const round = next.isRound ? await subject.findOpenRound() : undefined;
    const exit = round && (await resume(about, round));
    if (exit !== undefined) return exit;
    isAgain = false;
  }
}

async function wantsResume({ round, state }: OpenRound): Promise<boolean> {
  note(`The changes that round ${round} asked for are not made yet: the run is ${state}.`);
  return !['n', 'no'].includes(await ask('Resume the run? [Y/n] '));
}

/** Undefined when the changes can be reviewed, else the exit code. */
async function resume(
  { project, subject, words, options }: Omit<ReviewSession, 'opened'>,
  open: OpenRound,
): Promise<number | undefined> {
  const exit = await continueRound(project.root, open, options);
  const isOver = (await subject.findOpenRound()) === undefined;
  if (isOver && HAS_ENDED.has(exit)) return undefined;
  note(`Go on with: ${words.command()}`);
  return exit === EXIT.ok ? EXIT.failed : exit;
}

async function once(
  options: CommandOptions,
  decide: (stop: StopControl) => Promise<ReviewStep>,
): Promise<ReviewStep> {
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Stopped immediately.'),
  });
  try {
    return await decide(stop);
  } catch (error) {
    return exitOfInvalid(error, options);
  } finally {
    stop.close();
  }
}

async function decideAndSubmit(
  { project, subject, words, opened, options, isAgain }: ReviewSession & { isAgain: boolean },
  stop: StopControl,
): Promise<ReviewStep> {
  const { runId } = subject;
  const { files, round } = opened;
  const { stateDir } = project;
  const decisions = new Map<string, Decision>(isAgain ? [] : opened.decisions);
  const comments = new Map(opened.comments);
  const isOpen = countDecided(files, decisions).undecided > 0;
  const save = () => writeDraft(stateDir, runId, { decisions, comments });
  const isDone = await askHunks({
    files,
    decisions,
    signal: stop.signal,
    title: (_, place) => `${runId} (${place})`,
    question: words.question,
    words: words.keys,
    onAnswer: save,
    comments: { comments, onChange: save },
  });
  if (!isDone) return leave(words, stop.exit());
  const summary = summaryOf(files, decisions, { comments: comments.size, words });
  const changes = files.some((file) => changesIt(file, decisions));
  if (subject.isApplied && !isOpen && !changes && comments.size === 0) {
    note(`${summary} Ask again with: ${words.command('--again')}`);
    return words.allKept(countDecided(files, decisions));
  }
  note(summary);
  const verdict =
    comments.size > 0 ? await askVerdict(words, stop.signal) : await plainVerdict(options, changes);
  if (verdict === undefined) return leave(words, stop.exit());
  await save();
  const checked = checkedBy(project, options, stop.signal);
  const submitted = await subject.submit({ ...checked, verdict, round });
  if (submitted.kind !== 'round') return words.showSubmitted(submitted, stop.exit());
  showRound(submitted);
  return { isRound: true };
}

async function plainVerdict(
  options: CommandOptions,
  changes: boolean,
): Promise<ReviewVerdict | undefined> {
  return !changes || (await confirmed(options, 'Submit the review?')) ? 'apply' : undefined;
}

const VERDICTS: Readonly<Record<string, ReviewVerdict>> = { a: 'apply', c: 'changes', r: 'reject' };

const aboutVerdicts = ({
  verdicts,
  keys,
}: ReviewWords) => `c - ask for the changes: ${verdicts.changes}
a - ${verdicts.apply}
r - ${verdicts.reject}
q - ${keys.quit}
? - show this list`;

/** Undefined when the person leaves. */
async function askVerdict(
  words: ReviewWords,
  signal: AbortSignal,
): Promise<ReviewVerdict | undefined> {
  for (;;) {
    const said = (await ask('Submit the review? [c,a,r,q,?]: ', signal)).slice(0, 1);
    if (signal.aborted || said === 'q' || (said === '' && !process.stdin.readable))
      return undefined;
    const verdict = VERDICTS[said];
    if (verdict !== undefined) return verdict;
    complain(aboutVerdicts(words));
  }
}

function leave({ notDone, command }: ReviewWords, exit: number | undefined): number {
  note(`${notDone} Go on with: ${command()}`);
  return exit ?? EXIT.ok;
}
