// millrace revert
import {
  findExecutionId,
  findRun,
  lastWithChanges,
  revertExecution,
  revertRun,
} from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { clientOf } from '../../remote.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { findProject } from './project.ts';

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
