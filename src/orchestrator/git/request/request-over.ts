// A request that was taken or turned down on the forge. While its branch has nothing new it is left alone: the branch may be
// gone over there, and is not made again.
import type { Forge, PullRequest } from '../../../git/forges/forge.ts';
import { tipOf } from '../../../git/worktree.ts';
import type { RequestRecord } from './request-record.ts';

/** Undefined for one that is open, and where there is something to push. */
export async function findOver(
  root: string,
  { branch, known, forge }: { branch: string; known: RequestRecord | undefined; forge: Forge },
): Promise<PullRequest | undefined> {
  if (known?.number == null || known.pushed !== (await tipOf(root, branch))) return undefined;
  const request = await forge.get(known.number);
  return request.state === 'open' ? undefined : request;
}
