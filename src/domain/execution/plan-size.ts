// How large a proposed plan may be on a server, which has other things to do meanwhile: what would take it more than a moment
// is asked for again, with names of folders for those of files.
import type { Proposal } from '../../manifest/compose/proposal.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';

/** Names in all lists together, alternatives in braces counted one by one. */
const MAX_NAMES = 2000;
/** The rules may join streams, but never so many. */
const MOST_TO_JOIN = 2;

function namesIn({ streams }: Proposal): number {
  let names = 0;
  for (const { owns, reads, deps } of streams) {
    names += deps.length;
    for (const entry of [...owns, ...reads]) {
      names += Math.max(1, patternsOf([entry]).length);
      // Braces may stand for so many that counting on is itself the work that this avoids.
      if (names > MAX_NAMES) return names;
    }
  }
  return names;
}

/** What is wrong with it, in words for the model; undefined when it is not too large. */
export function sizeProblem(proposal: Proposal, maxSteps: number): string | undefined {
  const count = proposal.streams.length;
  if (count > maxSteps * MOST_TO_JOIN) {
    return `There are ${count} streams; at most ${maxSteps} are allowed.`;
  }
  if (namesIn(proposal) > MAX_NAMES) {
    return `The streams name more than ${MAX_NAMES} files and deps; name folders instead.`;
  }
  return undefined;
}
