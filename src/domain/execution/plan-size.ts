// How large a proposed plan may be. The rules hold files and streams against each other, and a server has other things
// to do meanwhile: what would take it more than a moment is asked for again, with names of folders for those of files.
import type { Proposal } from '../../manifest/compose/proposal.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';

/** Names in all lists together, alternatives in braces counted one by one. */
const MAX_NAMES = 2000;
/** Of them folders, names without an ending, and patterns: each is held against all the others. */
const MAX_WIDE = 100;
/** The rules may join streams, but never so many. */
const MOST_TO_JOIN = 2;

function sizeOf({ streams }: Proposal): { names: number; wide: number } {
  const size = { names: 0, wide: 0 };
  for (const { owns, reads, deps } of streams) {
    size.names += deps.length;
    for (const entry of [...owns, ...reads]) {
      const patterns = patternsOf([entry]);
      size.names += Math.max(1, patterns.length);
      size.wide += patterns.filter(({ kind }) => kind !== 'file').length;
      // Braces may stand for so many that counting on is itself the work that this avoids.
      if (size.names > MAX_NAMES) return size;
    }
  }
  return size;
}

/** What is wrong with it, in words for the model; undefined when it is not too large. */
export function sizeProblem(proposal: Proposal, maxSteps: number): string | undefined {
  const count = proposal.streams.length;
  if (count > maxSteps * MOST_TO_JOIN) {
    return `There are ${count} streams; at most ${maxSteps} are allowed.`;
  }
  const { names, wide } = sizeOf(proposal);
  if (names > MAX_NAMES) {
    return `The streams name more than ${MAX_NAMES} files and deps; name folders instead.`;
  }
  if (wide > MAX_WIDE) {
    return `The streams have ${wide} patterns and folders; at most ${MAX_WIDE} are possible. Name the folders around them instead.`;
  }
  return undefined;
}
