// From what a run has written to what a person wants of it.
import { textWith } from '../../domain/review/hunks.ts';
import { placeSuggestions } from '../../domain/review/comment.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decision, Decisions } from '../../domain/review/decision.ts';
import { modeAfter, modes } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { OrchestratorError } from '../errors.ts';
import type { WrittenFiles } from './open-review.ts';
import { acceptedChange, hunksAsDecided, isText, toReviewed } from './reviewed-file.ts';
import type { ReviewedFile } from './reviewed-file.ts';

export interface ReviewCounts {
  accepted: number;
  /** Of those that were accepted. */
  edited: number;
  rejected: number;
  undecided: number;
}

/** An edited hunk is accepted: not as it was, but as the person wants it. */
export function countDecided(files: readonly ReviewedFile[], decisions: Decisions): ReviewCounts {
  const counts: ReviewCounts = { accepted: 0, edited: 0, rejected: 0, undecided: 0 };
  for (const { id } of files.flatMap((file) => hunksAsDecided(file, decisions))) {
    const kind = decisions.get(id)?.kind ?? 'undecided';
    counts[kind] += 1;
    if (kind === 'edited') counts.accepted += 1;
  }
  return counts;
}

export const rejectAll = (files: readonly ReviewedFile[]): Decisions =>
  new Map(files.flatMap(({ hunks }) => hunks.map(({ id }) => [id, { kind: 'rejected' }] as const)));

/** A part of the file will be other than it is now. */
export const changesIt = (file: ReviewedFile, decisions: Decisions) =>
  hunksAsDecided(file, decisions).some(({ id }) => {
    const kind = decisions.get(id)?.kind;
    return kind === 'rejected' || kind === 'edited';
  });

export function conflict(items: readonly string[]): OrchestratorError {
  const what = items.length === 1 ? 'a file' : `${items.length} files`;
  return new OrchestratorError({
    code: 'CONFLICT',
    message: `Nothing was taken back: ${what} changed since the review.`,
    items,
    hint: 'Review the run again; your other answers are kept.',
  });
}

export interface Wanted {
  decisions: Decisions;
  /** Of each file, the comments whose suggestions may be made. */
  suggestionsFor(path: string): Comments;
}

const NO_SUGGESTIONS: Comments = new Map();

interface Left {
  next: Buffer | null;
  nextMode: number;
  placed: string[];
}

/** Of a file as it is with the change; what is undecided stays. */
function leftOf(file: ReviewedFile, { decisions, suggestionsFor }: Wanted): Left {
  const { path, before, after, mode } = file.change;
  const left = acceptedChange(file, decisions, 'accepted');
  const suggestions = suggestionsFor(path);
  let next = left === undefined ? before : left.after;
  let placed: string[] = [];
  if (suggestions.size > 0 && after !== null && next !== null && isText(file)) {
    const texts = { after: after.toString('utf8'), left: next.toString('utf8') };
    const found = placeSuggestions(texts, suggestions);
    placed = found.placed;
    if (placed.length > 0) next = Buffer.from(textWith(texts.after, found.changes));
  }
  return { next, nextMode: left === undefined ? mode : modeAfter(left), placed };
}

/** From what was there before to what is wanted of the change; undefined where nothing is. */
export function wantedChange(
  file: ReviewedFile,
  wanted: Wanted,
): { change: FileChange | undefined; placed: string[] } {
  const { path, before, mode } = file.change;
  const { next, nextMode, placed } = leftOf(file, wanted);
  const isSame = before === null || next === null ? before === next : before.equals(next);
  if (isSame && nextMode === mode) return { change: undefined, placed };
  return { change: { path, before, after: next, ...modes(mode, nextMode) }, placed };
}

/** From what is there now to what is wanted of it. */
function changeOf(
  file: ReviewedFile,
  wanted: Wanted,
): { change: FileChange | undefined; placed: string[] } {
  const { path, after } = file.change;
  const now = modeAfter(file.change);
  const { next, nextMode, placed } = leftOf(file, wanted);
  const isSame = after === null || next === null ? after === next : after.equals(next);
  if (isSame && now === nextMode) return { change: undefined, placed };
  const newMode = next === null ? now : nextMode;
  return { change: { path, before: after, after: next, ...modes(now, newMode) }, placed };
}

export interface WantedChanges {
  changes: FileChange[];
  /** Comments whose suggestions are among them. */
  placed: string[];
}

export function wantedOf(
  { files, changedSince }: WrittenFiles,
  decisions: Decisions,
  suggestionsFor: Wanted['suggestionsFor'] = () => NO_SUGGESTIONS,
): WantedChanges {
  const others = changedSince.filter((file) => changesIt(file, decisions));
  if (others.length > 0) throw conflict(others.map(({ change }) => change.path));
  const all = files.map((file) => changeOf(file, { decisions, suggestionsFor }));
  return {
    changes: all.flatMap(({ change }) => change ?? []),
    placed: all.flatMap(({ placed }) => placed),
  };
}

/** Once the submit counts: files that are decided to the end are agreed to as they are then. */
export function settledDecisions(files: readonly ReviewedFile[], decisions: Decisions): Decisions {
  const next = new Map<string, Decision>();
  for (const file of files) {
    const left = acceptedChange(file, decisions, 'accepted');
    if (left === undefined) continue;
    const reviewed = toReviewed(left);
    const isOpen = countDecided([file], decisions).undecided > 0;
    for (const { id } of isOpen ? hunksAsDecided(reviewed, decisions) : reviewed.hunks) {
      const decision = isOpen ? decisions.get(id) : ({ kind: 'accepted' } as const);
      if (decision !== undefined) next.set(id, decision);
    }
  }
  return next;
}
