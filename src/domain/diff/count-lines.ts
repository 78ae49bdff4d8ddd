// How many lines two texts differ in.
import { compareLines } from './compare-lines.ts';
import { splitLines } from './hunks.ts';

export interface LineCounts {
  additions: number;
  deletions: number;
}

const count = (marks: Uint8Array) => marks.reduce((sum, mark) => sum + mark, 0);

export function countLines(before: string, after: string): LineCounts {
  const { removed, added } = compareLines(splitLines(before), splitLines(after));
  return { additions: count(added), deletions: count(removed) };
}
