// The files that a run wrote, wherever they are: those of the person, or in the folder of its branch, which
// is opened for as long as it takes.
import { tipOf } from '../../git/worktree.ts';
import { OrchestratorError } from '../errors.ts';
import { filesOfRun, readBranch } from '../state/branch-record.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { leaveBranch, openBranch } from './run-on-branch.ts';

/** Throws where the branch is gone. */
export async function checkBranch(root: string, branch: string): Promise<void> {
  if ((await tipOf(root, branch)) !== undefined) return;
  const message = `The branch ${branch} is gone.`;
  const hint = 'Run the manifest again with --git branch.';
  throw new OrchestratorError({ code: 'GIT_NOT_READY', message, hint });
}

/** The caller holds the lock of the project. `copies`: files that the checks need. */
export async function withFilesOfRun<T>(
  project: ProjectPlace,
  runId: string,
  { copies, clonesPackages }: { copies: readonly string[]; clonesPackages: boolean },
  work: (place: ProjectPlace) => Promise<T>,
): Promise<T> {
  const record = await readBranch(project.stateDir, runId);
  if (record === undefined) return work(project);
  const { branch: name, base, origin } = record;
  await checkBranch(project.root, name);
  const there = await filesOfRun(project, runId);
  // What is in it that no commit has is not ours to clear away.
  if (there !== undefined) return work({ ...project, root: there });
  const branch = { name, base, origin };
  const git = { kind: 'branch' as const, branch, signsOff: false, copies };
  const { root } = await openBranch(project, runId, { work: git, clonesPackages });
  try {
    return await work({ ...project, root });
  } finally {
    await leaveBranch({ ...project, git }, branch);
  }
}
