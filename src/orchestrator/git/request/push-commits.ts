// A push that is never over what others have pushed.
import { GitError } from '../../../git/git.ts';
import { pushBranch, remoteTip } from '../../../git/remote.ts';
import { isAncestor } from '../../../git/rewrite.ts';
import { OrchestratorError } from '../../errors.ts';
import { atRemote, lastWords, whyRefused } from './at-remote.ts';
import { conflictError } from './conflict-error.ts';

export interface Push {
  remote: string;
  branch: string;
  commit: string;
  /** Commits that are ours. */
  commits: readonly string[];
  onStep(text: string): void;
}

/** Only onto commits of our own, or where there is nothing yet. */
export async function pushCommits(
  folder: string,
  { remote, branch, commit, commits, onStep }: Push,
): Promise<void> {
  const there =
    (await atRemote({ remote, branch }, () => remoteTip(folder, remote, branch))) ?? null;
  if (there === commit) return;
  const isOurs = there === null || commits.includes(there);
  if (!isOurs || (there !== null && !(await isAncestor(folder, there, commit)))) {
    throw conflictError(
      `${branch} on ${remote} has commits that are not from here.`,
      [],
      `Take them in first: git fetch ${remote} ${branch}, then merge them into ${branch}.`,
    );
  }
  onStep(`Pushing ${branch} to ${remote}`);
  try {
    await pushBranch(folder, { remote, branch, commit, expected: there });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new OrchestratorError({
      code: 'CONFLICT',
      message: `${remote} did not take ${branch}: ${lastWords(error)}`,
      hint: whyRefused(error),
    });
  }
}
