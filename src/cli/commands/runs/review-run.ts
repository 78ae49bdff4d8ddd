// millrace review: what a run has written, hunk by hunk.
import {
  changesIt,
  countDecided,
  findRun,
  openReview,
  submitReview,
  writeDraft,
} from '../../../orchestrator/index.ts';
import type {
  Decision,
  FoundRun,
  OpenedReview,
  ReviewedFile,
  SubmittedReview,
} from '../../../orchestrator/index.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { askHunks } from './ask-hunks.ts';
import { checkedBy, exitOfInvalid, shownOutput } from './checked-outside.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { nameLastWithChanges } from './revert.ts';
import { createStopControl } from './stop-control.ts';

const WORDS = {
  yes: 'keep',
  no: 'take back',
  quit: 'leave; your answers are kept, and nothing is taken back yet',
};

export async function review(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const run = await findRun(project.stateDir, args[0]);
  if (!mayAsk(options, process.env)) {
    const { runId } = run;
    throw usageError(
      'A review asks about every hunk, and there is nobody to ask.',
      `Use a terminal, or see the changes with: ${commandLine('diff', runId)}`,
    );
  }
  const opened = await openReview(project, run);
  showOpened(opened);
  if (opened.files.length === 0) {
    note(`${run.runId} wrote nothing that can be reviewed.`);
    if (options['json']) showJson({ runId: run.runId, files: [], accepted: 0, rejected: 0 });
    if (args[0] === undefined) await nameLastWithChanges(project.stateDir, 'review');
    return EXIT.ok;
  }
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Stopped immediately.'),
  });
  try {
    return await decideAndSubmit({ project, run, opened, options, stop });
  } catch (error) {
    return exitOfInvalid(error, options);
  } finally {
    stop.close();
  }
}

function showOpened({ changedSince, failed }: OpenedReview): void {
  for (const { change } of changedSince) {
    note(`${plain(change.path)} was changed since the run and is left as it is.`);
  }
  if (failed === undefined) return;
  complain(`The last submit did not count: ${plain(failed.stream)}: ${plain(failed.error)}`);
  for (const line of shownOutput(failed.output)) complain(`  ${plain(line)}`);
}

interface Session {
  project: Project;
  run: FoundRun;
  opened: OpenedReview;
  options: CommandOptions;
  stop: ReturnType<typeof createStopControl>;
}

async function decideAndSubmit({ project, run, opened, options, stop }: Session): Promise<number> {
  const { runId } = run;
  const { files, failed } = opened;
  const { stateDir } = project;
  const decisions = new Map<string, Decision>(options['again'] ? [] : opened.decisions);
  const isOpen = countDecided(files, decisions).undecided > 0;
  const save = () => writeDraft(stateDir, runId, { decisions, ...(failed && { failed }) });
  const isDone = await askHunks({
    files,
    decisions,
    signal: stop.signal,
    title: (_, place) => `${runId} (${place})`,
    question: (what) => `Keep this ${what}?`,
    words: WORDS,
    onAnswer: save,
  });
  if (!isDone) return leave(runId, stop.exit());
  const summary = summaryOf(files, decisions);
  const changes = files.some((file) => changesIt(file, decisions));
  if (!isOpen && !changes) {
    note(`${summary} Ask again with: ${commandLine('review', runId, '--again')}`);
    const { accepted } = countDecided(files, decisions);
    if (options['json']) showJson({ runId, files: [], accepted, rejected: 0 });
    return EXIT.ok;
  }
  note(summary);
  if (changes && !(await confirmed(options, 'Submit the review?')))
    return leave(runId, stop.exit());
  await save();
  const submitted = await submitReview(project, run, checkedBy(project, options, stop.signal));
  return show(submitted, options, stop.exit());
}

function leave(runId: string, exit: number | undefined): number {
  note(`Nothing was taken back. Go on with: ${commandLine('review', runId)}`);
  return exit ?? EXIT.ok;
}

function summaryOf(files: readonly ReviewedFile[], decisions: ReadonlyMap<string, Decision>) {
  const { accepted, edited, rejected } = countDecided(files, decisions);
  const parts = [
    `${countOf(accepted, 'hunk')} kept${edited > 0 ? ` (${edited} edited)` : ''}`,
    `${rejected} to take back`,
  ];
  return `${parts.join(', ')}, in ${countOf(files.length, 'file')}.`;
}

const showJson = (value: object) => print(JSON.stringify(value));

function show(
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
