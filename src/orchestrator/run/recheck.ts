// A stream may undo what another one did before it, although it was shown it. Whose files it touched
// is checked again, and what fails then is the later stream's failure.
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import type { RunContext } from './context.ts';
import type { RunTask } from './task.ts';

export interface Recheck {
  /** The stream whose check it is. */
  stream: string;
  commands: readonly string[];
}

/** Those whose failure would have failed the stream. */
function checksOf({ verify, commands }: RunTask): string[] {
  return [...verify, ...commands.flatMap((one) => (one.critical ? [one.command] : []))];
}

/** Of the stream itself, or of the fix that completed it. */
function filesOf({ streams, fixes }: RunRecord, id: string): string[] {
  const own = [...fixes].flatMap(([fix, root]) => (root === id ? [fix] : []));
  return [id, ...own].flatMap((each) => streams.get(each)?.files ?? []);
}

/** All that wait for it, also by others. */
function dependentsOf(
  { tasks, scheduler }: Pick<RunContext, 'tasks' | 'scheduler'>,
  id: string,
): Set<string> {
  const found = new Set([id]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const other of tasks.keys()) {
      if (scheduler.stream(other).deps.some((dep) => found.has(dep))) found.add(other);
    }
  }
  return found;
}

/** `isReview`: what others have built on already is changed, so their checks count, too. */
export function rechecksFor(
  context: Pick<RunContext, 'tasks' | 'scheduler' | 'replay'>,
  task: RunTask,
  files: readonly string[],
  { isReview = false }: { isReview?: boolean } = {},
): Recheck[] {
  const { tasks, scheduler, replay } = context;
  const dependents = isReview ? dependentsOf(context, task.root ?? task.id) : undefined;
  const done = new Set(checksOf(task));
  const patterns = files.map(filePattern);
  const isTouched = (other: RunTask) => {
    const written = filesOf(replay.record, other.id);
    if (written.length > 0) return written.some((path) => files.includes(path));
    return patternsOf(other.owns).some((own) =>
      patterns.some((file) => patternsOverlap(own, file)),
    );
  };
  return [...tasks.values()].flatMap((other): Recheck[] => {
    const isSelf = other.id === task.id || other.id === task.root;
    if (isSelf || other.root !== undefined) return [];
    const commands = checksOf(other).filter((command) => !done.has(command));
    if (commands.length === 0 || scheduler.stream(other.id).status !== 'complete') return [];
    if (dependents?.has(other.id) !== true && !isTouched(other)) return [];
    for (const command of commands) done.add(command);
    return [{ stream: other.id, commands }];
  });
}
