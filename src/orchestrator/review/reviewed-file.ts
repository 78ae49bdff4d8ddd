// The change of a file as a person looks through it: hunks where it is text, and what can only be as a
// whole. Which of them were accepted makes the change that is left.
import { splitHunk, textHunks, textWith } from '../../domain/review/hunks.ts';
import type { TextHunk } from '../../domain/review/hunks.ts';
import { wantedChanges } from '../../domain/review/decision.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import { sha256 } from '../../platform/sha256.ts';
import { unifiedDiff } from '../apply/diff.ts';
import { modeAfter, modes } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';

/** A new file without text, a file that goes, or one that is not text; or that it becomes a program. */
export interface WholeHunk {
  kind: 'whole' | 'mode';
  id: string;
  lines: readonly string[];
}

export type Hunk = TextHunk | WholeHunk;

export interface ReviewedFile {
  change: FileChange;
  /** Names of the file and what is said about it before its hunks. */
  head: readonly string[];
  hunks: readonly Hunk[];
}

const digest = (text: string) => sha256(Buffer.from(text)).slice(0, 16);

const textOf = (bytes: Buffer | null) => bytes?.toString('utf8') ?? '';

const isSame = (a: Buffer | null, b: Buffer | null) =>
  a === null || b === null ? a === b : a.equals(b);

export function toReviewed(change: FileChange): ReviewedFile {
  const { path, before, after, newMode } = change;
  const shown = unifiedDiff(change).replace(/\n$/, '').split('\n');
  const at = shown.findIndex((line) => line.startsWith('@@'));
  const head = at === -1 ? shown : shown.slice(0, at);
  const hunks: Hunk[] = [];
  const isKept = before !== null && after !== null;
  if (isKept && newMode !== undefined) {
    hunks.push({ kind: 'mode', id: digest(`${path}\0mode ${newMode}`), lines: [] });
  }
  if (at !== -1 && after !== null) {
    hunks.push(...textHunks({ path, before: textOf(before), after: textOf(after) }, digest));
  } else if (!isSame(before, after)) {
    const said = [before, after].map((bytes) => (bytes === null ? '-' : sha256(bytes)));
    const lines = at === -1 ? [] : shown.slice(at);
    hunks.push({ kind: 'whole', id: digest([path, ...said].join('\0')), lines });
  }
  return { change, head, hunks };
}

/** Its lines can be shown, and be other lines. */
export const isText = ({ hunks }: ReviewedFile): boolean =>
  hunks.some(({ kind }) => kind === 'lines');

/** Of the hunks and of the pieces that each can be split into. */
export const hunkIdsOf = (file: ReviewedFile): Set<string> =>
  new Set(file.hunks.flatMap((hunk) => [hunk.id, ...split(file, hunk).map(({ id }) => id)]));

/** One that cannot be split comes back as it is. */
export function split({ change }: ReviewedFile, hunk: Hunk): Hunk[] {
  return hunk.kind === 'lines' ? splitHunk(textOf(change.before), hunk, digest) : [hunk];
}

/** The text that the edited hunk belongs to. */
export const textBefore = ({ change }: ReviewedFile): string => textOf(change.before);

export const textAfter = ({ change }: ReviewedFile): string => textOf(change.after);

/** Split where a person has split them. */
export function hunksAsDecided(file: ReviewedFile, decisions: Decisions): Hunk[] {
  return file.hunks.flatMap((hunk) => {
    if (decisions.has(hunk.id)) return [hunk];
    const pieces = split(file, hunk);
    return pieces.some(({ id }) => decisions.has(id)) ? pieces : [hunk];
  });
}

/** What is left of the change; undefined when nothing is. */
export function acceptedChange(
  file: ReviewedFile,
  decisions: Decisions,
  undecided: 'accepted' | 'rejected' = 'rejected',
): FileChange | undefined {
  const { path, before, after, mode } = file.change;
  const hunks = hunksAsDecided(file, decisions);
  const isWanted = (kind: Hunk['kind']) =>
    hunks.some(
      (hunk) => hunk.kind === kind && (decisions.get(hunk.id)?.kind ?? undecided) !== 'rejected',
    );
  const lines = hunks.filter((hunk) => hunk.kind === 'lines');
  const wanted = lines.flatMap((hunk) => wantedChanges(hunk, decisions.get(hunk.id), undecided));
  const newMode = isWanted('mode') ? modeAfter(file.change) : mode;
  const text = wanted.length === 0 ? before : Buffer.from(textWith(textOf(before), wanted));
  const next = isWanted('whole') ? after : text;
  if (isSame(before, next) && newMode === mode) return undefined;
  return { path, before, after: next, ...modes(mode, newMode) };
}
