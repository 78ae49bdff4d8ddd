// millrace diff
import { diffRun, findTarget } from '../../../orchestrator/index.ts';
import type { ChangedFile } from '../../../orchestrator/index.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { countOf } from '../../terminal/figures.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { pad, textWidth } from '../../terminal/text-width.ts';
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

export function showFiles(files: readonly ChangedFile[], options: CommandOptions): void {
  if (options['stat']) showStat(files);
  else if (process.stdout.isTTY) for (const { diff } of files) print(colourDiff(diff, styled));
  // As it is, for `git apply`: nothing is made harmless in a pipe.
  else for (const { diff } of files) process.stdout.write(diff);
}

export async function diff(options: CommandOptions, args: string[]): Promise<number> {
  const project = await findProject(options);
  const target = await findTarget(project.stateDir, args);
  const files = await diffRun(project, target);
  const { run, stream, isNamed } = target;
  if (options['json']) print(JSON.stringify({ runId: run.runId, files }));
  else if (files.length > 0) showFiles(files, options);
  else {
    const who = stream === undefined ? run.runId : `${plain(stream.id)} in ${run.runId}`;
    note(`${who} changed no files, or they were rolled back.`);
    if (!isNamed) await nameLastWithChanges(project.stateDir, 'diff');
  }
  return EXIT.ok;
}
