// millrace diff
import { countChanges, unifiedDiff } from '../../../orchestrator/apply/diff.ts';
import type { FileChange } from '../../../orchestrator/apply/file-change.ts';
import type { CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { appliedChanges } from './applied-changes.ts';
import { colourDiff } from '../../terminal/diff-colours.ts';
import { findRun, splitArguments } from './find-run.ts';
import { nameLastWithChanges } from './last-with-changes.ts';
import { streamsNamed } from './logs.ts';
import { findProject } from './project.ts';
import { pad, textWidth } from '../../terminal/text-width.ts';

function kindOf({ before, after }: FileChange): 'create' | 'edit' | 'delete' {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'edit';
}

function showStat(changes: readonly FileChange[]): void {
  const width = Math.max(0, ...changes.map(({ path }) => textWidth(plain(path))));
  let added = 0;
  let deleted = 0;
  for (const change of changes) {
    const { additions, deletions } = countChanges(change.before, change.after);
    added += additions;
    deleted += deletions;
    const counts = `${styled('green', `+${additions}`)} ${styled('red', `-${deletions}`)}`;
    print(` ${pad(plain(change.path), width)}  ${kindOf(change).padEnd(6)}  ${counts}`);
  }
  const files = `${changes.length} file${changes.length === 1 ? '' : 's'} changed`;
  print(` ${files}, ${added} added, ${deleted} deleted`);
}

export async function diff(options: CommandOptions, args: string[]): Promise<number> {
  const { stateDir } = await findProject(options);
  const asked = splitArguments(args);
  const run = await findRun(stateDir, asked.run);
  const named = asked.stream === undefined ? undefined : streamsNamed(run, asked.stream);
  const { net } = await appliedChanges(stateDir, run.runId, (id) => named?.has(id) ?? true);
  if (options['json']) {
    const files = net.map((change) => ({
      path: change.path,
      kind: kindOf(change),
      ...countChanges(change.before, change.after),
      diff: unifiedDiff(change),
    }));
    print(JSON.stringify({ runId: run.runId, files }));
    return EXIT.ok;
  }
  if (net.length === 0) {
    const who = asked.stream === undefined ? run.runId : `${plain(asked.stream)} in ${run.runId}`;
    note(`${who} has changed no files, or they were taken back.`);
    if (asked.run === undefined) await nameLastWithChanges(stateDir, 'diff');
  } else if (options['stat']) showStat(net);
  else if (process.stdout.isTTY) {
    for (const change of net) print(colourDiff(unifiedDiff(change), styled));
  } else {
    // As it is, for `git apply`: nothing is made harmless in a pipe.
    for (const change of net) process.stdout.write(unifiedDiff(change));
  }
  return EXIT.ok;
}
