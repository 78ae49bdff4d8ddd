// A review of changes that are not written yet and that asks for others: what was agreed to is kept aside, what was turned
// down goes, suggestions are made, and the rest is asked of the next attempt. What that one hands in for other files does
// not count: they stay as the review left them.
import type { Operation } from '../../contract/artifact.ts';
import type { CarriedComment as Carried, ReviewComment } from '../../contract/review-api.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import type { AskedChanges, HeldChanges } from '../../domain/review/held-changes.ts';
import { sha256 } from '../../platform/sha256.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { isExecutable, modeAfter } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { stageArtifact } from '../apply/stage.ts';
import type { StageOptions, Staged } from '../apply/stage.ts';
import type { AnsweredReview } from '../run/ask-approval.ts';
import { answersOf } from './ask-on-server.ts';
import { outdatedIn } from './open-review.ts';
import type { ReviewedFile } from './reviewed-file.ts';
import { toReviewed } from './reviewed-file.ts';
import { wantedChange } from './take-back.ts';

function toOperation({ path, before, after, mode, ...change }: FileChange): Operation {
  const base = before === null ? {} : { baseSha256: sha256(before) };
  if (after === null) return { type: 'delete', path, ...base };
  const content = after.toString('utf8');
  const executable = isExecutable(modeAfter({ mode, ...change }));
  const bit = executable === (before !== null && isExecutable(mode)) ? {} : { executable };
  return before === null
    ? { type: 'create', path, content, ...bit }
    : { type: 'edit', path, content, ...base, ...bit };
}

interface Answers {
  decisions: Decisions;
  comments: Comments;
}

export interface LeftToDo {
  /** That are about more than what could be made without a model, by their ids. */
  open: [string, ReviewComment][];
  /** Comments whose suggestions were made. */
  placed: Set<string>;
  /** From what there was before to what is left of each file. */
  left: FileChange[];
}

export function leftToDo(
  changes: readonly FileChange[],
  { decisions, comments }: Answers,
): LeftToDo {
  const suggestionsFor = (path: string) =>
    new Map([...comments].filter(([, one]) => one.path === path && one.suggestion !== undefined));
  const all = changes.map((change) =>
    wantedChange(toReviewed(change), { decisions, suggestionsFor }),
  );
  const placed = new Set(all.flatMap((one) => one.placed));
  const open = [...comments].filter(([id]) => !placed.has(id));
  return { open, placed, left: all.flatMap(({ change }) => change ?? []) };
}

/** What is kept aside of them. */
export function keptAside(
  changes: readonly FileChange[],
  { open, left }: LeftToDo,
): Pick<HeldChanges, 'kept' | 'settled' | 'diff'> {
  const openPaths = new Set(open.map(([, { path }]) => path));
  return {
    kept: left.map(toOperation),
    settled: changes.flatMap(({ path }) => (openPaths.has(path) ? [] : [path])),
    diff: left.flatMap((one) => (openPaths.has(one.path) ? [unifiedDiff(one)] : [])).join(''),
  };
}

/** `earlier`: of the review before this one. */
export function askedChanges(
  changes: readonly FileChange[],
  { approvalId, submission }: AnsweredReview,
  earlier: HeldChanges | undefined,
): AskedChanges {
  const answers = answersOf(submission);
  const todo = leftToDo(changes, answers);
  const round = earlier?.round ?? 1;
  const own = [...answers.comments].map(([id, comment]) => ({
    ...comment,
    id,
    round,
    ...(todo.placed.has(id) && { outcome: 'Done as suggested.' }),
  }));
  const held: HeldChanges = {
    ...keptAside(changes, todo),
    round: round + 1,
    previous: approvalId,
    carried: [...(earlier?.carried ?? []), ...own],
  };
  return { comments: todo.open.map(([, comment]) => comment), held };
}

/** With what the review before has left; a file that others have changed meanwhile has to be made again. */
export async function stageHeld(
  options: StageOptions,
  held: HeldChanges | undefined,
): Promise<Staged> {
  if (held === undefined) return stageArtifact(options);
  const settled = new Set(held.settled);
  const given = new Set(options.operations.map(({ path }) => path));
  const kept = held.kept.filter(({ path }) => settled.has(path) || !given.has(path));
  const before = await stageArtifact({ ...options, operations: kept, isExact: true });
  const stale = new Set(staleIn(before));
  const moved = kept.filter(({ path }) => stale.has(path) && given.has(path));
  const rest = kept.filter((operation) => !moved.includes(operation));
  const operations = options.operations.filter(({ path }) => !settled.has(path) || stale.has(path));
  const both = [
    moved.length === 0
      ? before
      : await stageArtifact({ ...options, operations: rest, isExact: true }),
    await stageArtifact({ ...options, operations }),
  ];
  const problems = both.flatMap((one): ApplyProblem[] =>
    one.kind === 'rejected' ? one.problems : [],
  );
  if (problems.length > 0) return { kind: 'rejected', problems };
  const changes = both.flatMap((one) => (one.kind === 'staged' ? one.changes : []));
  return { kind: 'staged', changes };
}

const staleIn = (staged: Staged) =>
  staged.kind === 'rejected' ? staged.problems.map(({ path }) => path) : [];

/** Each review is another question, also about the same changes. */
export const questionHash = (changes: string, held: HeldChanges | undefined): string =>
  held === undefined ? changes : sha256(JSON.stringify([changes, held.round, held.previous]));

/** What was said before about changes that are asked about again. `by`: made what was left to do. */
export function carriedTo(
  files: readonly ReviewedFile[],
  { carried, round }: HeldChanges,
  by: string,
): Carried[] {
  const outdated = outdatedIn(files);
  return carried.map((comment) => ({
    ...comment,
    ...(comment.round === round - 1 && { outcome: comment.outcome ?? `Answered by ${by}.` }),
    outdated: outdated(comment),
  }));
}
