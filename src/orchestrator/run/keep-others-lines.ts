// Looks for lines of other streams that whole texts and renames of an answer would drop. What the others added is
// read from the records of what they applied, so a run that was resumed knows it, too.
import type { Operation } from '../../contract/artifact.ts';
import { addedBy, droppedLines, droppedText } from '../../domain/run/dropped-lines.ts';
import type { AddedLines } from '../../domain/run/dropped-lines.ts';
import { listApplied, readApplied } from '../apply/record.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from '../apply/file-change.ts';
import { isText } from '../apply/result-of.ts';
import type { RunContext } from './context.ts';
import type { RunTask } from './task.ts';

type Known = Pick<RunContext, 'stateDir' | 'runId' | 'replay'>;

const textOf = (bytes: Buffer | null): string =>
  bytes !== null && isText(bytes) ? bytes.toString('utf8') : '';

/** A fix is the work of the stream that it fixes. */
function othersThatWrote({ replay }: Known, task: RunTask, paths: ReadonlySet<string>) {
  const { streams, fixes } = replay.record;
  const rootOf = (id: string) => fixes.get(id) ?? id;
  const own = rootOf(task.id);
  return new Set(
    [...streams].flatMap(([id, { files }]) =>
      rootOf(id) !== own && files.some((path) => paths.has(path)) ? [id] : [],
    ),
  );
}

async function addedToFiles(
  known: Known,
  task: RunTask,
  paths: ReadonlySet<string>,
): Promise<Map<string, AddedLines[]>> {
  const added = new Map<string, AddedLines[]>();
  const streams = othersThatWrote(known, task, paths);
  if (streams.size === 0) return added;
  for (const entry of await listApplied(known.stateDir, known.runId, streams)) {
    if (entry.undone || !streams.has(entry.streamId)) continue;
    for (const { path, before, after } of await readApplied(entry.dir)) {
      if (!paths.has(path)) continue;
      const lines = addedBy(textOf(before), textOf(after));
      const earlier = added.get(path) ?? [];
      added.set(path, [...earlier, { stream: entry.streamId, lines }]);
    }
  }
  return added;
}

/**
 * A delete alone is plain enough. Next to new files it may be a rename, and then the lines have to be in what the
 * answer writes.
 */
function textAfter(change: FileChange, changes: readonly FileChange[]): string | undefined {
  if (change.after !== null) return textOf(change.after);
  const created = changes.filter(({ before }) => before === null);
  return created.length === 0 ? undefined : created.map(({ after }) => textOf(after)).join('\n');
}

export async function problemsOfDropped(
  known: Known,
  task: RunTask,
  { operations, changes }: { operations: readonly Operation[]; changes: readonly FileChange[] },
): Promise<ApplyProblem[]> {
  const edited = new Set(operations.flatMap((one) => ('edits' in one ? [one.path] : [])));
  const whole = changes.filter(({ path, before }) => before !== null && !edited.has(path));
  if (whole.length === 0) return [];
  const added = await addedToFiles(known, task, new Set(whole.map(({ path }) => path)));
  return whole.flatMap((change): ApplyProblem[] => {
    const others = added.get(change.path);
    const after = textAfter(change, changes);
    if (others === undefined || after === undefined) return [];
    const dropped = droppedLines(others, { before: textOf(change.before), after });
    if (dropped.length === 0) return [];
    const { message, lines } = droppedText(dropped);
    return [{ path: change.path, code: 'DROPPED', message, dropped: lines }];
  });
}
