// millrace apply: writes what a run kept.
import type { MillraceClient } from '../../../client/index.ts';
import {
  applyExecution,
  applyKept,
  findExecutionId,
  findRun,
  forgetReview,
  reviewOfExecution,
} from '../../../orchestrator/index.ts';
import type { AppliedKept, FoundRun } from '../../../orchestrator/index.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { clientOf } from '../../remote.ts';
import { countOf } from '../../terminal/figures.ts';
import { complain, note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { checkedBy, exitOfInvalid, shownOutput } from './checked-outside.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { reviewsInBrowser } from './review-in-flag.ts';
import { reviewInRounds } from './review-loop.ts';
import { checkAsked } from './review-run.ts';
import { wordsOfUnwritten } from './review-words.ts';
import { createStopControl } from './stop-control.ts';

export async function apply(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const connect = () => clientOf(options);
  const executionId = await findExecutionId(project, args[0], connect);
  const isInBrowser = reviewsInBrowser(options);
  const isReviewed = isInBrowser || options['review'] === true;
  if (options['again'] === true && !isReviewed) {
    throw usageError('--again is about a review: add --review or --review-in web.', '');
  }
  if (executionId !== undefined && isReviewed) {
    return applyReviewed(project, executionId, { options, connect, isInBrowser });
  }
  if (executionId !== undefined) return applyResult(project, executionId, options, connect);
  const run = await findRun(project.stateDir, args[0]);
  if (isReviewed) {
    throw usageError(
      'What a run kept is applied by whole streams, and looked through after that.',
      `Apply it, then: ${commandLine('review', run.runId)}`,
    );
  }
  return applyRun(project, run, options);
}

/** By hunk, before it is written. */
async function applyReviewed(
  project: Project,
  executionId: string,
  {
    options,
    connect,
    isInBrowser,
  }: { options: CommandOptions; connect: () => Promise<MillraceClient>; isInBrowser: boolean },
): Promise<number> {
  if (fileOf(options) !== undefined) {
    throw usageError(
      '--file and a review cannot be used together: the review is about all files.',
      'Leave out --file, and turn down what you do not want.',
    );
  }
  const words = wordsOfUnwritten(executionId, options);
  checkAsked(executionId, words, options);
  if (options['again'] === true) await forgetReview(project.stateDir, executionId);
  const subject = reviewOfExecution(project, executionId, { isApplied: false, connect });
  const how = { isInBrowser, isAgain: false };
  return reviewInRounds({ project, subject, words, options }, how);
}

async function applyResult(
  project: Project,
  executionId: string,
  options: CommandOptions,
  connect: () => Promise<MillraceClient>,
): Promise<number> {
  const file = fileOf(options);
  const result = await applyExecution(project, executionId, { connect, file });
  const { files, isRepeated, partialSteps } = result;
  if (partialSteps.length > 0) {
    note(`The model reports a partial result: ${partialSteps.map(plain).join(', ')}`);
  }
  if (options['json']) {
    print(JSON.stringify({ executionId, files, alreadyApplied: isRepeated, partialSteps }));
  } else if (isRepeated) print(`${executionId} is already applied; nothing changed.`);
  else if (files.length === 0) print(`The files already match ${executionId}; nothing changed.`);
  else {
    print(`Applied ${countOf(files.length, 'file')} of ${executionId}.`);
    for (const path of files) print(`  ${plain(path)}`);
    note(`Revert with: ${commandLine('revert', executionId)}`);
  }
  return EXIT.ok;
}

function fileOf(options: CommandOptions): string | undefined {
  return typeof options['file'] === 'string' ? options['file'] : undefined;
}

async function applyRun(project: Project, run: FoundRun, options: CommandOptions): Promise<number> {
  const stop = createStopControl({
    timeoutMs: undefined,
    onStop: () => complain('stopping...'),
    onLeave: () => complain('Stopped immediately.'),
  });
  try {
    const result = await applyKept(project, run, {
      ...checkedBy(project, options, stop.signal),
      file: fileOf(options),
      now: () => new Date(),
    });
    show(result, options);
    return result.failed ? (stop.exit() ?? EXIT.failed) : EXIT.ok;
  } catch (error) {
    return exitOfInvalid(error, options);
  } finally {
    stop.close();
  }
}

function show({ runId, manifestFile, applied, failed }: AppliedKept, options: CommandOptions) {
  const output = shownOutput(failed?.output ?? '');
  if (options['json']) {
    print(JSON.stringify({ runId, applied, ...(failed && { failed: { ...failed, output } }) }));
    return;
  }
  for (const { stream, files } of applied) {
    print(`applied ${plain(stream)}  ${files.map(plain).join(', ') || 'nothing to change'}`);
  }
  if (failed === undefined) return;
  complain(`Error: ${plain(failed.stream)} was not applied: ${plain(failed.error)}`);
  for (const line of output) complain(`  ${plain(line)}`);
  const again = commandLine('run', manifestFile, '--only', failed.stream);
  complain(`Run it again, with fixes: ${again}`);
}
