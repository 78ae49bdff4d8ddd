// A file with an artifact's edits in it. They are looked for in the file as it was, so their order does
// not matter; one that is only there after others were made is made after them. All are made or none.
import { addAll } from './add-all.ts';
import type { TextEdit } from '../../contract/artifact.ts';
import { MAX_INSERTED, fileForms, findEdit } from './find-edit.ts';
import type { FileForms, PlacedReplacement, RungName } from './find-edit.ts';
import type { Replacement } from './changed-lines.ts';
import { nearestLines } from './nearest-lines.ts';

export type EditFailure =
  /** With the lines of the file that look most like it; the first few edits have them. */
  | { code: 'NO_MATCH'; editIndex: number; nearest: string }
  | { code: 'AMBIGUOUS'; editIndex: number; lines: number[] }
  /** It is there, but its new lines can be read in more than one way: their indentation, their quotes. */
  | { code: 'UNCLEAR'; editIndex: number; nearest: string }
  /** With it the file would become larger than any that is used. */
  | { code: 'TOO_LARGE'; editIndex: number }
  /** It changes text that the other edit changes, too. */
  | { code: 'OVERLAP'; editIndex: number; otherIndex: number };

export type AppliedEdits =
  | { kind: 'applied'; text: string; rungs: RungName[] }
  | { kind: 'failed'; failures: EditFailure[] };

/** Nobody fixes more than these at once, and each look at the whole file takes its time. */
const MAX_NEAREST = 20;

/** Edits that build on each other in more steps than this are no edits of the file that was shown. */
const MAX_ROUNDS = 10;

interface NumberedEdit {
  edit: TextEdit;
  editIndex: number;
}

interface NumberedReplacement extends PlacedReplacement {
  editIndex: number;
}

/** `maxFailures`: no more edits are looked for after so many that failed. */
export function applyEdits(
  original: string,
  edits: readonly TextEdit[],
  { maxFailures = Infinity }: { maxFailures?: number } = {},
): AppliedEdits {
  const rungs: RungName[] = [];
  const first = fileForms(original);
  let file = first;
  let open = withoutRepeats(edits);
  let inserted = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const placed = placeAll(file, open, { maxFailures, inserted, isLater: round > 0 });
    const { failures, missing, unfit } = placed;
    const overlaps = overlapsIn(placed.replacements);
    // Where nothing else went wrong, an edit may be one of the text that the others make.
    const isClean = failures.length + overlaps.length + unfit.length === 0;
    const mayFollow = isClean && placed.rungs.length > 0;
    if (unfit.length > 0 || (missing.length > 0 && (!mayFollow || round === MAX_ROUNDS - 1))) {
      const lost = [
        ...lostEdits(first, missing, 'NO_MATCH'),
        ...lostEdits(first, unfit, 'UNCLEAR'),
      ];
      lost.sort((a, b) => a.editIndex - b.editIndex);
      return { kind: 'failed', failures: [...lost, ...failures, ...overlaps] };
    }
    if (!mayFollow && failures.length + overlaps.length > 0) {
      return { kind: 'failed', failures: [...failures, ...overlaps] };
    }
    addAll(rungs, placed.rungs);
    inserted = placed.inserted;
    const text = splice(file.text, withoutTwins(placed.replacements));
    if (missing.length === 0) return { kind: 'applied', text, rungs };
    file = fileForms(text);
    open = missing;
  }
  return { kind: 'failed', failures: lostEdits(first, open, 'NO_MATCH') };
}

/** The same edit given twice counts once. */
function withoutRepeats(edits: readonly TextEdit[]): NumberedEdit[] {
  const seen = new Set<string>();
  return edits.flatMap((edit, editIndex) => {
    const key = JSON.stringify([edit.oldText, edit.newText, edit.replaceAll === true]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ edit, editIndex }];
  });
}

interface Placed {
  failures: EditFailure[];
  missing: NumberedEdit[];
  /** In the file, but not to be changed with certainty. */
  unfit: NumberedEdit[];
  replacements: NumberedReplacement[];
  rungs: RungName[];
  inserted: number;
}

function placeAll(
  file: FileForms,
  edits: readonly NumberedEdit[],
  options: { maxFailures: number; inserted: number; isLater: boolean },
): Placed {
  const placed: Placed = {
    failures: [],
    missing: [],
    unfit: [],
    replacements: [],
    rungs: [],
    inserted: options.inserted,
  };
  const { failures, missing } = placed;
  for (const { edit, editIndex } of edits) {
    if (failures.length >= options.maxFailures) break;
    if (missing.length >= Math.max(options.maxFailures, MAX_NEAREST)) break;
    const found = findEdit(file, edit);
    // In a text that nobody has seen, only what is there exactly is what was meant.
    const isLoose = options.isLater && found.kind === 'found' && found.rung !== 'exact';
    if (found.kind === 'missing' || isLoose) {
      missing.push({ edit, editIndex });
    } else if (found.kind === 'unfit') {
      placed.unfit.push({ edit, editIndex });
    } else if (found.kind === 'ambiguous') {
      failures.push({ code: 'AMBIGUOUS', editIndex, lines: found.lines });
    } else if (found.kind === 'too-large') {
      failures.push({ code: 'TOO_LARGE', editIndex });
    } else {
      for (const { text } of found.replacements) placed.inserted += text.length;
      if (placed.inserted > MAX_INSERTED) {
        failures.push({ code: 'TOO_LARGE', editIndex });
        break;
      }
      placed.rungs.push(found.rung);
      for (const each of found.replacements) placed.replacements.push({ ...each, editIndex });
    }
  }
  placed.replacements.sort(
    (a, b) =>
      a.start - b.start ||
      a.end - b.end ||
      a.part.start - b.part.start ||
      a.part.end - b.part.end ||
      a.editIndex - b.editIndex,
  );
  return placed;
}

function lostEdits(
  { lines }: FileForms,
  edits: readonly NumberedEdit[],
  code: 'NO_MATCH' | 'UNCLEAR',
): EditFailure[] {
  return edits.map(({ edit, editIndex }, i) => {
    const nearest = i < MAX_NEAREST ? nearestLines(lines, edit.oldText) : '';
    return { code, editIndex, nearest };
  });
}

function overlapsIn(sorted: readonly NumberedReplacement[]): EditFailure[] {
  const failures: EditFailure[] = [];
  for (const [i, next] of sorted.slice(1).entries()) {
    const before = sorted[i]!;
    if (!collide(before, next) || isTwin(before, next)) continue;
    const [first, second] = [before.editIndex, next.editIndex].sort((a, b) => a - b);
    failures.push({ code: 'OVERLAP', editIndex: second!, otherIndex: first! });
  }
  return failures;
}

/** Two that put something into the same place: which comes first is known when their texts are apart. */
function collide(before: NumberedReplacement, next: NumberedReplacement): boolean {
  const isSamePlace = before.end === next.start && before.start === next.end;
  return isSamePlace ? next.part.start < before.part.end : next.start < before.end;
}

/** The same change, given with more or fewer lines around it. */
function isTwin(a: NumberedReplacement, b: NumberedReplacement): boolean {
  const areApart = b.part.start >= a.part.end;
  return a.start === b.start && a.end === b.end && a.text === b.text && !areApart;
}

function withoutTwins(sorted: readonly NumberedReplacement[]): NumberedReplacement[] {
  return sorted.filter((each, i) => i === 0 || !isTwin(sorted[i - 1]!, each));
}

function splice(text: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: replaced } of replacements) {
    parts.push(text.slice(at, start), replaced);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
