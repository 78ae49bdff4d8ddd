// What a person says about a hunk.
import type { Change } from '../diff/hunks.ts';

export type Decision =
  | { kind: 'accepted' }
  | { kind: 'rejected' }
  /** With places counted from where the hunk begins: it may begin elsewhere when it is used. */
  | { kind: 'edited'; changes: readonly Change[] };

/** By the ids of hunks. */
export type Decisions = ReadonlyMap<string, Decision>;

/** The wanted changes of a hunk; `undecided` says what holds where nobody has said anything. */
export function wantedChanges(
  { changes, from }: { changes: readonly Change[]; from: number },
  decision: Decision | undefined,
  undecided: 'accepted' | 'rejected',
): readonly Change[] {
  const { kind } = decision ?? { kind: undecided };
  if (decision?.kind === 'edited') {
    return decision.changes.map((change) => ({ ...change, oldAt: change.oldAt + from }));
  }
  return kind === 'accepted' ? changes : [];
}
