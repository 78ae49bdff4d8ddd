// Changes to what a run has written that only count where the checks of its streams pass with them.
import { REVIEW } from '../apply/record.ts';
import type { FileChange } from '../apply/file-change.ts';
import { applyChanges } from '../apply/transaction.ts';
import { checkTask } from '../changes/check-task.ts';
import type { CheckOptions, FailedCheck } from '../changes/check-task.ts';
import { openSandboxes } from '../commands/open-sandboxes.ts';
import { NO_MODEL, toTask } from '../run/task.ts';
import type { Submit } from './submit-review.ts';
import { conflict } from './take-back.ts';

type Failed = { stream: string } & FailedCheck;

class CheckFailedError extends Error {
  readonly failed: Failed;
  constructor(failed: Failed) {
    super(failed.error);
    this.name = 'CheckFailedError';
    this.failed = failed;
  }
}

/** Undefined when it counts. `attempt`: by which its record is known. */
export async function applyChecked(
  { project, place, run: { runId }, manifest, sandbox }: Submit,
  {
    changes,
    streams,
    attempt,
  }: { changes: readonly FileChange[]; streams: readonly string[]; attempt: number },
  options: CheckOptions,
): Promise<Failed | undefined> {
  const tasks = streams.flatMap((id) => {
    const stream = manifest.streams.get(id);
    return stream === undefined ? [] : [toTask(manifest, stream, NO_MODEL)];
  });
  // In a folder that was just opened, nothing is installed but what the project has.
  const isOnBranch = place.root !== project.root;
  const sandboxes = await openSandboxes(
    place.root,
    { sandbox },
    isOnBranch ? project.root : undefined,
  );
  const site = { root: place.root, sandbox: sandboxes?.commands };
  const check = async () => {
    for (const task of tasks) {
      if (task.verify.length + task.commands.length === 0) continue;
      options.onStream(task);
      const checked = isOnBranch ? task : { ...task, setup: [] };
      const failed = await checkTask(site, checked, options);
      if (failed !== undefined) throw new CheckFailedError({ stream: task.id, ...failed });
    }
  };
  try {
    const at = { ...place, runId, streamId: REVIEW, attempt };
    const done = await applyChanges(at, changes, { check });
    if (done.kind === 'conflict') throw conflict(done.problems.map(({ path }) => path));
    return undefined;
  } catch (error) {
    if (error instanceof CheckFailedError) return error.failed;
    throw error;
  } finally {
    await sandboxes?.run.close();
  }
}
