// A review of changes that are reverted, or written at last, is over: the next one begins anew.
import { forgetPrevious } from './ask-on-server.ts';
import { removeDraft } from './draft.ts';
import { removeRound } from './round-record.ts';

/** The draft last: without the round before it nothing is made of it. */
export async function forgetReview(stateDir: string, id: string): Promise<void> {
  await removeRound(stateDir, id);
  await forgetPrevious(stateDir, id);
  await removeDraft(stateDir, id);
}
