// How many folders and patterns a proposal may have. The rules hold each against all the others: thousands of them would take
// minutes, in which nothing else has its turn.
import { patternsOf } from '../stream-graph.ts';
import type { Proposal } from './proposal.ts';

const MAX_WIDE = 100;

/** Folders, names without an ending, and patterns; alternatives in braces are counted one by one. */
function countOf({ streams }: Proposal): number {
  let count = 0;
  for (const { owns, reads } of streams) {
    for (const entry of [...owns, ...reads]) {
      count += patternsOf([entry]).filter(({ kind }) => kind !== 'file').length;
      // Braces may stand for so many that counting on is itself the work that this avoids.
      if (count > MAX_WIDE) return count;
    }
  }
  return count;
}

/** What is wrong with it, in words for the model; undefined when it is not too large. */
export function wideProblem(proposal: Proposal): string | undefined {
  if (countOf(proposal) <= MAX_WIDE) return undefined;
  return `The streams have more than ${MAX_WIDE} patterns and folders. Name the folders around them instead.`;
}
