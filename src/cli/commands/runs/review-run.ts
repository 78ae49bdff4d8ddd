// millrace review: what a run has written, hunk by hunk, until there is nothing more to ask for.
import {
  branchOfRun,
  changesIt,
  countDecided,
  findOpenRound,
  findRun,
  openReview,
  programsOfRepository,
  submitReview,
  writeDraft,
} from '../../../orchestrator/index.ts';
import type { Decision, FoundRun, OpenRound, ReviewVerdict } from '../../../orchestrator/index.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { ask } from '../../terminal/ask.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { complain, note } from '../../terminal/output.ts';
import { askHunks } from './ask-hunks.ts';
import { checkedBy, exitOfInvalid } from './checked-outside.ts';
import { continueRound } from './continue-round.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { nameLastWithChanges } from './revert.ts';
import {
  HAS_ENDED,
  showJson,
  showOpened,
  showRound,
  showSubmitted,
  summaryOf,
} from './review-outcome.ts';
import { decideInBrowser, endInBrowser } from './review-in-browser.ts';
import type { ReviewSession, ReviewStep } from './review-in-browser.ts';
import { createStopControl } from './stop-control.ts';
import type { StopControl } from './stop-control.ts';
import { ensureTrusted } from './trust-commands.ts';

const WORDS = {
  yes: 'keep',
  no: 'take back',
  quit: 'leave; your answers are kept, and nothing is taken back yet',
};

export async function review(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const found = await findRun(project.stateDir, args[0]);
  const { runId } = found;
  const isInBrowser = options['reviewIn'] !== undefined;
  const hasTerminal = mayAsk(options, process.env);
  if (!isInBrowser && !hasTerminal) {
    throw usageError(
      'A review asks about every hunk, and there is nobody to ask.',
      `Review it in the browser: ${commandLine('review', runId, '--review-in', 'web')}\nOr see the changes with: ${commandLine('diff', runId)}`,
    );
  }
  if ((await branchOfRun(project.stateDir, runId)) !== undefined) {
    // The folder of the branch is made again, to be read.
    const programs = await programsOfRepository(project.root);
    await ensureTrusted({ commands: [], programs }, project.root, options);
  }
  const open = await findOpenRound(project, found);
  const isResumed =
    open !== undefined &&
    (open.state === 'interrupted' || !hasTerminal || (await wantsResume(open)));
  if (isResumed) {
    const exit = await resume(project, open, { found, options });
    if (exit !== undefined) return exit;
  }
  let isAgain = options['again'] === true;
  for (;;) {
    const run = await findRun(project.stateDir, runId);
    const opened = await openReview(project, run);
    showOpened(opened);
    const session = { project, run, opened, options };
    if (opened.files.length === 0) {
      if (isInBrowser) await endInBrowser(session);
      note(`${runId} wrote nothing that can be reviewed.`);
      if (options['json']) showJson({ runId, files: [], accepted: 0, rejected: 0 });
      if (args[0] === undefined) await nameLastWithChanges(project.stateDir, 'review');
      return EXIT.ok;
    }
    const next = await once(options, (stop) =>
      isInBrowser ? decideInBrowser(session, stop) : decideAndSubmit({ ...session, isAgain }, stop),
    );
    if (typeof next === 'number') return next;
    const round = next.isRound ? await findOpenRound(project, found) : undefined;
    const exit = round && (await resume(project, round, { found, options }));
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
  project: Project,
  open: OpenRound,
  { found, options }: { found: FoundRun; options: CommandOptions },
): Promise<number | undefined> {
  const exit = await continueRound(project.root, open, options);
  const isOver = (await findOpenRound(project, found)) === undefined;
  if (isOver && HAS_ENDED.has(exit)) return undefined;
  note(`Go on with: ${commandLine('review', found.runId)}`);
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
  { project, run, opened, options, isAgain }: ReviewSession & { isAgain: boolean },
  stop: StopControl,
): Promise<ReviewStep> {
  const { runId } = run;
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
    question: (what) => `Keep this ${what}?`,
    words: WORDS,
    onAnswer: save,
    comments: { comments, onChange: save },
  });
  if (!isDone) return leave(runId, stop.exit());
  const summary = summaryOf(files, decisions, comments.size);
  const changes = files.some((file) => changesIt(file, decisions));
  if (!isOpen && !changes && comments.size === 0) {
    note(`${summary} Ask again with: ${commandLine('review', runId, '--again')}`);
    const { accepted } = countDecided(files, decisions);
    if (options['json']) showJson({ runId, files: [], accepted, rejected: 0 });
    return EXIT.ok;
  }
  note(summary);
  const verdict =
    comments.size > 0 ? await askVerdict(stop.signal) : await plainVerdict(options, changes);
  if (verdict === undefined) return leave(runId, stop.exit());
  await save();
  const checked = checkedBy(project, options, stop.signal);
  const submitted = await submitReview(project, run, { ...checked, verdict, round });
  if (submitted.kind !== 'round') return showSubmitted(submitted, options, stop.exit());
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

const ABOUT_VERDICTS = `c - ask for the changes: what is turned down goes, and streams do what the comments say
a - apply what is decided, and keep the comments for later
r - reject everything that the run wrote
q - ${WORDS.quit}
? - show this list`;

/** Undefined when the person leaves. */
async function askVerdict(signal: AbortSignal): Promise<ReviewVerdict | undefined> {
  for (;;) {
    const said = (await ask('Submit the review? [c,a,r,q,?]: ', signal)).slice(0, 1);
    if (signal.aborted || said === 'q' || (said === '' && !process.stdin.readable))
      return undefined;
    const verdict = VERDICTS[said];
    if (verdict !== undefined) return verdict;
    complain(ABOUT_VERDICTS);
  }
}

function leave(runId: string, exit: number | undefined): number {
  note(`Nothing was taken back. Go on with: ${commandLine('review', runId)}`);
  return exit ?? EXIT.ok;
}
