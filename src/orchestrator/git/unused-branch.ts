// The branch of a run that never began: its process died after it had made the branch, perhaps while packages were copied
// into its folder. Nothing is on it, no journal names it, and the next run of that name begins as if it were not there.
import { deleteBranch, foldersOn, removeWorktree, tipOf } from '../../git/worktree.ts';
import { readBranch, worktreeOf } from '../state/branch-record.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

/** Where it is; undefined for a branch that a run has begun on, or that anybody else has made, moved or checked out. */
export async function unusedTip(
  { root, stateDir }: ProjectPlace,
  branch: string,
): Promise<string | undefined> {
  for (const runId of (await listRunIds(stateDir)).toReversed()) {
    const record = await readBranch(stateDir, runId);
    if (record?.branch !== branch) continue;
    const { events } = await readJournal(journalOf(stateDir, runId));
    if (events.length > 0 || record.origin !== runId) return undefined;
    const tip = await tipOf(root, branch);
    const own = worktreeOf(stateDir, branch);
    const isElsewhere = (await foldersOn(root, branch)).some((folder) => folder !== own);
    return tip === record.base && !isElsewhere ? tip : undefined;
  }
  return undefined;
}

/** The caller holds the lock of the project. */
export async function dropUnused(project: ProjectPlace, branch: string): Promise<void> {
  const tip = await unusedTip(project, branch);
  if (tip === undefined) return;
  const folder = worktreeOf(project.stateDir, branch);
  await removeWorktree({ repository: project.root, folder, branch });
  await deleteBranch(project.root, branch, tip);
}
