// Work on the files of a project, alone.
import { recoverTransactions } from '../apply/transaction.ts';
import { OrchestratorError } from '../errors.ts';
import { findLockHolder, RunLockedError, takeLock } from '../state/lock.ts';
import type { LockHolder } from '../state/lock.ts';
import { makeStateDir } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { checkWritable } from './check-writable.ts';

export function lockedError(message: string): OrchestratorError {
  return new OrchestratorError({ code: 'RUN_LOCKED', message });
}

/** Throws when another process is at work in the project. */
export function checkUnlocked(stateDir: string): void {
  const holder = findLockHolder(stateDir);
  if (holder === undefined) return;
  throw lockedError(`Another run (process ${holder.pid}) is running in this project.`);
}

export async function withProjectLock<T>(
  project: ProjectPlace,
  { runId, work: kind }: { runId: string; work: LockHolder['work'] },
  work: () => Promise<T>,
): Promise<T> {
  checkWritable(project);
  await makeStateDir(project);
  let lock;
  try {
    lock = takeLock(project.stateDir, runId, kind);
  } catch (error) {
    if (error instanceof RunLockedError) throw lockedError(error.message);
    throw error;
  }
  try {
    // What a crash left half done must not be built on.
    await recoverTransactions(project);
    return await work();
  } finally {
    lock.release();
  }
}
