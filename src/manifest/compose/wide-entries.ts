// How many folders and patterns a proposal may have. The rules hold each against all the others: thousands of them would take
// minutes, in which nothing else has its turn.
import { patternsOf } from '../stream-graph.ts';
import type { Proposal } from './proposal.ts';
import type { Repository } from './repository.ts';

const MAX_WIDE = 100;
/** As many as all lists may have, where every entry is a name and a pattern, as with brackets. */
const MAX_NAMES = 20_000;
/** Files of the project that they stand for. */
const MAX_FILES = 100_000;

/** Folders, names without an ending, and patterns; alternatives in braces are counted one by one. */
function problemOfEntries({ streams }: Proposal): string | undefined {
  let [wide, all] = [0, 0];
  for (const entry of streams.flatMap(({ owns, reads }) => [...owns, ...reads])) {
    const patterns = patternsOf([entry]);
    all += patterns.length;
    wide += patterns.filter(({ kind }) => kind !== 'file').length;
    // Braces may stand for so many that counting on is itself the work that this avoids.
    if (wide > MAX_WIDE) {
      return `The streams have more than ${MAX_WIDE} patterns and folders. Name the folders around them instead.`;
    }
    if (all > MAX_NAMES) {
      return `Written out, the braces of the streams stand for more than ${MAX_NAMES} names. Name folders instead.`;
    }
  }
  return undefined;
}

/** Whether they stand for too many files of the project; one that several streams have counts for each. */
function hasTooManyFiles({ streams }: Proposal, repository: Repository): boolean {
  let left = MAX_FILES;
  for (const entry of streams.flatMap(({ owns }) => owns)) {
    left -= repository.filesOf(entry).length;
    if (left < 0) return true;
  }
  return false;
}

/** What is wrong with it, in words for the model; undefined when it is not too large. */
export function wideProblem(proposal: Proposal, repository: Repository): string | undefined {
  const problem = problemOfEntries(proposal);
  if (problem !== undefined) return problem;
  if (hasTooManyFiles(proposal, repository)) {
    return `The patterns and folders of the streams stand for more than ${MAX_FILES} files. Name smaller ones, each in one stream.`;
  }
  return undefined;
}
