// millrace diff
import type { MillraceClient } from '../../../client/index.ts';
import {
  diffExecution,
  diffRun,
  findExecutionId,
  findTarget,
} from '../../../orchestrator/index.ts';
import type { ChangedFile, RunDiff } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { clientOf } from '../../remote.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { pad, textWidth } from '../../terminal/text-width.ts';
import type { Project } from './project.ts';
import { findProject } from './project.ts';
import { nameLastWithChanges } from './revert.ts';

function showStat(files: readonly ChangedFile[]): void {
  const width = Math.max(0, ...files.map(({ path }) => textWidth(plain(path))));
  const sum = (name: 'additions' | 'deletions') => files.reduce((all, file) => all + file[name], 0);
  for (const { path, kind, additions, deletions } of files) {
    const counts = `${styled('green', `+${additions}`)} ${styled('red', `-${deletions}`)}`;
    print(` ${pad(plain(path), width)}  ${kind.padEnd(6)}  ${counts}`);
  }
  const added = `${sum('additions')} added, ${sum('deletions')} deleted`;
  print(` ${countOf(files.length, 'file')} changed, ${added}`);
}

function showFiles(files: readonly ChangedFile[], options: CommandOptions): void {
  if (options['stat']) showStat(files);
  else if (process.stdout.isTTY)
    for (const { diff: text } of files) print(colourDiff(text, styled));
  // As it is, for `git apply`: nothing is made harmless in a pipe.
  else for (const { diff: text } of files) process.stdout.write(text);
}

/** Changes that can be applied are shown before those that were; never both, so that it can be piped to git. */
function show(id: string, changes: RunDiff, options: CommandOptions): void {
  const { applied, pending, rejected } = changes;
  if (pending.length > 0 || rejected.length > 0) {
    for (const { stream, reason } of rejected) {
      note(`${plain(stream)} cannot be applied as the files are now: ${plain(reason)}`);
    }
    const others = applied.length > 0 ? `; ${countOf(applied.length, 'file')} applied before` : '';
    showFiles(pending, options);
    note(`Not applied yet${others}. Apply with: ${commandLine('apply', id)}`);
  } else showFiles(applied, options);
}

export async function diff(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const connect = () => clientOf(options);
  const executionId = await findExecutionId(project, args[0], connect);
  if (executionId === undefined) return diffOfRun(project, options, args);
  return diffOfExecution(project, executionId, options, connect);
}

async function diffOfRun(
  project: Project,
  options: CommandOptions,
  args: string[],
): Promise<number> {
  const target = await findTarget(project.stateDir, args);
  const { run, stream, isNamed } = target;
  const changes = await diffRun(project, target);
  if (options['json']) {
    const { applied: files, pending, rejected } = changes;
    print(JSON.stringify({ runId: run.runId, files, pending, rejected }));
  } else if (changes.applied.length + changes.pending.length + changes.rejected.length > 0) {
    show(run.runId, changes, options);
  } else {
    const who = stream === undefined ? run.runId : `${plain(stream.id)} in ${run.runId}`;
    note(`${who} changed no files, or they were rolled back.`);
    if (!isNamed) await nameLastWithChanges(project.stateDir, 'diff');
  }
  return EXIT.ok;
}

async function diffOfExecution(
  project: Project,
  executionId: string,
  options: CommandOptions,
  connect: () => Promise<MillraceClient>,
): Promise<number> {
  const changes = await diffExecution(project, executionId, connect);
  const { applied: files, pending, rejected, isPartial } = changes;
  if (options['json']) {
    print(JSON.stringify({ executionId, files, pending, rejected, partial: isPartial }));
    return EXIT.ok;
  }
  if (files.length + pending.length + rejected.length === 0) {
    note(`${executionId} changes no files of this project.`);
    return EXIT.ok;
  }
  if (isPartial) {
    note(`${executionId} did not complete: this is a part of its result, and cannot be applied.`);
    showFiles(pending, options);
  } else show(executionId, changes, options);
  return EXIT.ok;
}
