// millrace revert
import {
  branchOfRun,
  findExecutionId,
  findRun,
  lastWithChanges,
  revertBranch,
  revertExecution,
  revertRun,
} from '../../../orchestrator/index.ts';
import type { FoundRun } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { clientOf } from '../../remote.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findProject } from './project.ts';
import type { Project } from './project.ts';

/** The last run is not always the one that changed something. */
export async function nameLastWithChanges(stateDir: string, command: string): Promise<void> {
  const runId = await lastWithChanges(stateDir);
  if (runId !== undefined) note(`Last run that changed files: ${commandLine(command, runId)}`);
}

function showReverted(id: string, files: readonly string[]): void {
  if (files.length === 0) print(`${id}: nothing to revert.`);
  else print(`Reverted ${countOf(files.length, 'file')} of ${id}.`);
  for (const path of files) print(`  ${plain(path)}`);
}

/** Nothing of it is in the person's files. */
async function dropBranch(
  project: Project,
  run: FoundRun,
  { branch, options }: { branch: string; options: CommandOptions },
): Promise<number> {
  const { runId } = run;
  if (options['deleteBranch'] !== true) {
    throw new CommandError({
      code: 'ON_A_BRANCH',
      message: `${runId} worked on the branch ${plain(branch)} and changed none of your files.`,
      hint: `To delete the branch: ${commandLine('revert', runId, '--delete-branch')}`,
    });
  }
  const { commits } = await revertBranch(project, run, { client: () => clientOf(options) });
  if (options['json']) print(JSON.stringify({ runId, branch, commits: commits ?? 0 }));
  else if (commits === undefined) print(`${runId}: the branch ${plain(branch)} is gone already.`);
  else print(`Deleted the branch ${plain(branch)} with ${countOf(commits, 'commit')}.`);
  return EXIT.ok;
}

export async function revert(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const force = options['force'] === true;
  const executionId = await findExecutionId(project, args[0], () => clientOf(options));
  if (executionId !== undefined) {
    const paths = await revertExecution(project, executionId, { force });
    if (options['json']) print(JSON.stringify({ executionId, files: paths }));
    else showReverted(executionId, paths);
    return EXIT.ok;
  }
  const run = await findRun(project.stateDir, args[0]);
  const { runId } = run;
  const branch = await branchOfRun(project.stateDir, runId);
  if (branch !== undefined) return dropBranch(project, run, { branch, options });
  const onProblem = (message: string) => note(message);
  const { files, streams, manifestFile } = await revertRun(project, run, {
    force,
    onProblem,
    client: () => clientOf(options),
  });
  if (options['json']) print(JSON.stringify({ runId, files, streams }));
  else {
    showReverted(runId, files);
    if (files.length === 0) await nameLastWithChanges(project.stateDir, 'revert');
    if (streams.length > 0) {
      note(`Pending again in ${manifestFile}: ${streams.map(plain).join(', ')}`);
    }
  }
  return EXIT.ok;
}
