// What is decided about: a hunk, or its parts once it is split. A decision about a hunk and one about its parts are never
// there together: what carries the review out takes the hunk first.
import type {
  ChangeReviewDraftRequest,
  ReviewDraft,
  ReviewFileSummary,
  ReviewHunk,
} from '../../../../src/contract/review-api.ts';

export type Decisions = ReviewDraft['decisions'];
export type Decision = Decisions[string];
type DecisionChanges = NonNullable<ChangeReviewDraftRequest['decisions']>;

export interface Place {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

export interface Unit extends Place {
  id: string;
  hunk: ReviewHunk;
  /** Counted from 1; undefined of a whole hunk. */
  part: number | undefined;
}

export const canSplit = ({ parts }: ReviewHunk): boolean => (parts?.length ?? 0) > 1;

/** `split`: hunks that are shown in parts although nothing is decided about one of them. */
export function unitsOf(
  hunk: ReviewHunk,
  decisions: Decisions,
  split: ReadonlySet<string>,
): Unit[] {
  const whole = { ...hunk, hunk, part: undefined };
  if (!canSplit(hunk) || decisions[hunk.id] !== undefined) return [whole];
  const isSplit = split.has(hunk.id) || hunk.parts!.some(({ id }) => decisions[id] !== undefined);
  return isSplit ? hunk.parts!.map((part, at) => ({ ...part, hunk, part: at + 1 })) : [whole];
}

const partsCleared = ({ parts = [] }: ReviewHunk, decisions: Decisions): DecisionChanges =>
  Object.fromEntries(
    parts.filter(({ id }) => decisions[id] !== undefined).map(({ id }) => [id, null]),
  );

/** Null takes the decision back. */
export function decideUnit(
  { id, hunk, part }: Unit,
  decision: Decision | null,
  decisions: Decisions,
): DecisionChanges {
  return part === undefined
    ? { ...partsCleared(hunk, decisions), [id]: decision }
    : { [id]: decision };
}

export function decideFile(
  { hunks }: Pick<ReviewFileSummary, 'hunks'>,
  decision: Decision | null,
  decisions: Decisions,
): DecisionChanges {
  const changes = hunks.map((hunk) => ({
    ...partsCleared(hunk, decisions),
    [hunk.id]: decision,
  }));
  return Object.assign({}, ...changes) as DecisionChanges;
}

/** What was decided about the hunk holds for each of its parts. */
export function splitHunk({ id, parts = [] }: ReviewHunk, decisions: Decisions): DecisionChanges {
  const decision = decisions[id];
  if (decision === undefined) return {};
  return { [id]: null, ...Object.fromEntries(parts.map((part) => [part.id, decision])) };
}

/** The hunk is decided as its parts were, where they agree. */
export function joinHunk(hunk: ReviewHunk, decisions: Decisions): DecisionChanges {
  const said = new Set(hunk.parts!.map(({ id }) => decisions[id]));
  const [only] = said;
  return {
    ...partsCleared(hunk, decisions),
    ...(said.size === 1 && only !== undefined && { [hunk.id]: only }),
  };
}

export interface Counts {
  accepted: number;
  rejected: number;
  undecided: number;
}

const NO_SPLIT: ReadonlySet<string> = new Set();

export function countDecisions(
  files: readonly Pick<ReviewFileSummary, 'hunks'>[],
  decisions: Decisions,
): Counts {
  const counts: Counts = { accepted: 0, rejected: 0, undecided: 0 };
  for (const { hunks } of files) {
    for (const hunk of hunks) {
      const own = decisions[hunk.id];
      if (own !== undefined || !canSplit(hunk)) {
        counts[own ?? 'undecided'] += 1;
        continue;
      }
      for (const { id } of unitsOf(hunk, decisions, NO_SPLIT)) {
        counts[decisions[id] ?? 'undecided'] += 1;
      }
    }
  }
  return counts;
}

/** Of the whole file, if all of it is decided in the same way. */
export function decisionOfFile(
  file: Pick<ReviewFileSummary, 'hunks'>,
  decisions: Decisions,
): Decision | 'mixed' | 'undecided' {
  const { accepted, rejected, undecided } = countDecisions([file], decisions);
  if (accepted + rejected === 0) return 'undecided';
  if (undecided > 0 || (accepted > 0 && rejected > 0)) return 'mixed';
  return accepted > 0 ? 'accepted' : 'rejected';
}
