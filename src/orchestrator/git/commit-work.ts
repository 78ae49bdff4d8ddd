// Finished streams become commits. A commit that fails stops nothing: the files are there, and it is tried again at the end of the
// run and when the run is resumed.
import { commitStream, lastCommit } from '../../git/commit-stream.ts';
import { changesByStream } from '../changes/applied-changes.ts';
import type { Attempt, RunContext } from '../run/context.ts';
import { someOf } from './check-git.ts';
import type { BranchWork } from './run-on-branch.ts';

/** What becomes of finished streams. */
export type GitWork = BranchWork | { kind: 'commit'; signsOff: boolean };

/** Alone with the files. Done twice it makes one commit. */
export async function commitTask(
  { options, root, runId, replay, tasks, emit, record }: RunContext,
  { task, attempt }: Pick<Attempt, 'task' | 'attempt'>,
  files: readonly string[],
): Promise<void> {
  if (options.git === undefined) return;
  const { id } = task;
  // A fix has all of the stream's work in it: what failed before was rolled back.
  const { name, plan } = tasks.get(task.root ?? id) ?? task;
  const { signsOff } = options.git;
  const note = (message: string) =>
    emit({ type: 'run.note', level: 'warning', code: 'NOT_COMMITTED', about: id, message });
  try {
    const stream = { id, name, plan, runId, signsOff };
    const { id: made, ignored } = await commitStream(root, stream, files);
    const isKnown = replay.record.streams.get(id)?.commit !== undefined;
    // A process that was killed may have made it and not said so.
    const commit = made ?? (isKnown ? undefined : await lastCommit(root, stream));
    if (commit !== undefined)
      await record({ type: 'stream.committed', stream: id, attempt, commit });
    if (ignored.length > 0) note(`Not committed, because git ignores them: ${someOf(ignored)}`);
  } catch (error) {
    note(options.scrub(`${id} was not committed: ${(error as Error).message}`));
  }
}

/** On a branch nothing that is complete may be left out. */
export async function commitRest(context: RunContext): Promise<void> {
  if (context.options.git?.kind !== 'branch') return;
  const { record } = context.replay;
  const done = [...record.streams].flatMap(([id, { status, attempt, commit }]) =>
    status === 'complete' && attempt > 0 && commit === undefined ? [id] : [],
  );
  const changes = await changesByStream(context.stateDir, context.runId, new Set(done));
  for (const [id, files] of changes) {
    const task = context.tasks.get(id);
    const attempt = record.streams.get(id)!.attempt;
    if (task !== undefined)
      await commitTask(
        context,
        { task, attempt },
        files.map(({ path }) => path),
      );
  }
}
