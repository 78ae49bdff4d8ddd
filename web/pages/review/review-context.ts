// What the parts of a review may do. The object stays the same while the page is open, so that drawing a row again depends on
// nothing but what it shows.
import { createContext, useContext } from 'react';
import type { ReviewComment, ReviewHunk } from '../../../src/contract/review-api.ts';
import type { LineRange } from './model/comments.ts';
import type { Decision, Unit } from './model/units.ts';

export interface CommentText {
  text: string;
  suggestion: string | undefined;
}

export interface EditorTarget {
  range: LineRange;
  /** Of the comment that is changed; undefined of a new one. */
  id: string | undefined;
  /** As typed so far. */
  typed: CommentText;
}

export interface ReviewActions {
  /** What has been decided like this already is undecided again. */
  decide(path: string, unit: Unit, decision: Decision): void;
  undecide(unit: Unit): void;
  decideFile(path: string, decision: Decision): void;
  toggleViewed(path: string): void;
  toggleOpen(path: string): void;
  toggleWhole(path: string): void;
  toggleSplit(path: string, hunk: ReviewHunk): void;
  openGap(path: string, gap: number, by: { down?: number; up?: number }): void;
  select(path: string, unit: string): void;
  /** Opens the editor for these lines. */
  comment(range: LineRange): void;
  editComment(id: string, comment: ReviewComment): void;
  deleteComment(id: string): void;
  /** Kept over a reload of the page. */
  type(typed: CommentText): void;
  saveComment(typed: CommentText): void;
  closeEditor(): void;
  /** The lines of the file as they are on the new side. */
  linesOf(range: LineRange): string;
}

export interface ReviewRights {
  /** Whether this reader decides anything here. */
  mayDecide: boolean;
}

export const ActionsContext = createContext<ReviewActions | undefined>(undefined);
export const RightsContext = createContext<ReviewRights>({ mayDecide: false });

export const useActions = (): ReviewActions => useContext(ActionsContext)!;
export const useRights = (): ReviewRights => useContext(RightsContext);
