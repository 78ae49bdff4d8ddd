// Brings a branch to where it can be pushed. Before the first push its commits are put in order, on top of the branch that
// will take them; afterwards others may have seen it, and the target is merged in.
import { askGit } from '../../../git/git.ts';
import {
  arranged,
  commitsOn,
  isAncestor,
  mergeIn,
  putOnTop,
  rearrange,
} from '../../../git/rewrite.ts';
import type { Arrangement } from '../../../git/rewrite.ts';
import { conflictError } from './conflict-error.ts';
import type { RequestRecord } from './request-record.ts';

export interface BranchWork extends Arrangement {
  folder: string;
  branch: string;
  target: string;
  /** Where the target is now. */
  tip: string;
  known: RequestRecord | undefined;
  base: string;
  onStep(text: string): void;
}

/** Nobody has seen it: its commits may be made anew. Returns what they stand on. */
export async function putInOrder({
  folder,
  branch,
  target,
  tip,
  base,
  rootOf,
  waveOf,
  onStep,
}: BranchWork): Promise<string> {
  const todo = arranged(await commitsOn(folder, base), { rootOf, waveOf });
  if (todo !== undefined && !(await rearrange(folder, base, todo))) {
    if (waveOf !== undefined) {
      throw conflictError(
        `The commits on ${branch} cannot be put in the order of the waves.`,
        [],
        'Open one request for all of them: leave out --stack.',
      );
    }
    onStep('The fixes of streams stay commits of their own: other commits stand between.');
  }
  if (tip === base) return base;
  onStep(`Putting ${branch} on top of ${target} (${tip.slice(0, 10)})`);
  const files = await putOnTop(folder, { base, target: tip });
  if (files === undefined) return tip;
  throw conflictError(
    `${branch} does not fit on ${target} as it is now.`,
    files,
    `Do it by hand, then try again: git switch ${branch} && git rebase ${tip.slice(0, 10)}`,
  );
}

export async function bringUpToDate({
  folder,
  branch,
  target,
  tip,
  known,
  onStep,
}: BranchWork): Promise<string> {
  if (await isAncestor(folder, tip, 'HEAD')) return known!.base;
  onStep(`Taking ${target} (${tip.slice(0, 10)}) into ${branch}`);
  const message = `Merge ${target} into ${branch}`;
  const files = await mergeIn(folder, { target: tip, message });
  if (files === undefined) return known!.base;
  throw conflictError(
    `${target} cannot be taken into ${branch} without a decision.`,
    files,
    `Do it by hand, then try again: git switch ${branch} && git merge ${tip.slice(0, 10)}`,
  );
}

/** Where the branch leaves the target. One that began at a commit that the target does not have is ours from there on. */
export async function standsOn(folder: string, tip: string, base: string): Promise<string> {
  const common = (await askGit(folder, ['merge-base', 'HEAD', tip]))?.trim();
  return common !== undefined && (await isAncestor(folder, base, common)) ? common : base;
}
