// millrace review: what a run has written, or an execution that was applied, hunk by hunk.
import {
  branchOfRun,
  findExecutionId,
  findRun,
  programsOfRepository,
  reviewOfExecution,
  reviewOfRun,
} from '../../../orchestrator/index.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { clientOf } from '../../remote.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { note } from '../../terminal/output.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { nameLastWithChanges } from './revert.ts';
import { showJson } from './review-outcome.ts';
import { reviewInRounds } from './review-loop.ts';
import { wordsOfApplied, wordsOfRun } from './review-words.ts';
import type { ReviewWords } from './review-words.ts';
import { ensureTrusted } from './trust-commands.ts';

/** Throws where nobody can be asked. */
export function checkAsked(id: string, words: ReviewWords, options: CommandOptions): void {
  if (options['reviewIn'] !== undefined || mayAsk(options, process.env)) return;
  throw usageError(
    'A review asks about every hunk, and there is nobody to ask.',
    `Review it in the browser: ${words.inBrowser()}\nOr see the changes with: ${commandLine('diff', id)}`,
  );
}

export async function review(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const connect = () => clientOf(options);
  const executionId = await findExecutionId(project, args[0], connect);
  const isInBrowser = options['reviewIn'] !== undefined;
  const how = { isInBrowser, isAgain: options['again'] === true };
  if (executionId !== undefined) {
    const words = wordsOfApplied(executionId, options);
    checkAsked(executionId, words, options);
    const subject = reviewOfExecution(project, executionId, { isApplied: true, connect });
    return reviewInRounds({ project, subject, words, options }, how);
  }
  const found = await findRun(project.stateDir, args[0]);
  const { runId } = found;
  const isNamed = args[0] !== undefined;
  const words = wordsOfRun(runId, options, () =>
    sayNothingLeft(project, { runId, isNamed, options }),
  );
  checkAsked(runId, words, options);
  if ((await branchOfRun(project.stateDir, runId)) !== undefined) {
    // The folder of the branch is made again, to be read.
    const programs = await programsOfRepository(project.root);
    await ensureTrusted({ commands: [], programs }, project.root, options);
  }
  return reviewInRounds({ project, subject: reviewOfRun(project, found), words, options }, how);
}

async function sayNothingLeft(
  { stateDir }: Project,
  { runId, isNamed, options }: { runId: string; isNamed: boolean; options: CommandOptions },
): Promise<number> {
  note(`${runId} wrote nothing that can be reviewed.`);
  if (options['json']) showJson({ runId, files: [], accepted: 0, rejected: 0 });
  if (!isNamed) await nameLastWithChanges(stateDir, 'review');
  return EXIT.ok;
}
