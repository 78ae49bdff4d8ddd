// What a review has left of changes that are not written yet, while what it asks for is being made.
import type { Operation } from '../../contract/artifact.ts';
import type { ReviewComment } from '../../contract/review-api.ts';
import type { KeptComment } from './comment.ts';

export interface HeldChanges {
  /** Of all files, without what was turned down and with what was suggested. */
  kept: Operation[];
  /** Files that stay as they were left, also those of which nothing is left. */
  settled: string[];
  /** Of those that do not. */
  diff: string;
  /** Of the next review. */
  round: number;
  previous: string;
  carried: KeptComment[];
}

/** For the next attempt, or for nobody: where suggestions were all, the next review can begin. */
export interface AskedChanges {
  comments: ReviewComment[];
  held: HeldChanges;
}
