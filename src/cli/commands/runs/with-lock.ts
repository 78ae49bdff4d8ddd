// Work on the files of a project, alone.
import { recoverTransactions } from '../../../orchestrator/apply/transaction.ts';
import { RunLockedError, takeLock } from '../../../orchestrator/state/lock.ts';
import { makeStateDir } from '../../../orchestrator/state/state-dir.ts';
import type { ProjectPlace } from '../../../orchestrator/state/state-dir.ts';
import { checkWritable } from './state-folder.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';

export function lockedError(message: string): CommandError {
  return new CommandError({
    code: 'RUN_LOCKED',
    message,
    hint: `Follow it with "${commandLine('watch')}", or wait until it is over.`,
  });
}

export async function withProjectLock<T>(
  project: ProjectPlace,
  runId: string,
  work: () => Promise<T>,
): Promise<T> {
  checkWritable(project);
  await makeStateDir(project);
  let lock;
  try {
    lock = takeLock(project.stateDir, runId);
  } catch (error) {
    if (error instanceof RunLockedError) throw lockedError(error.message);
    throw error;
  }
  try {
    // What a crash left half done is not what we are to build on.
    await recoverTransactions(project);
    return await work();
  } finally {
    lock.release();
  }
}
