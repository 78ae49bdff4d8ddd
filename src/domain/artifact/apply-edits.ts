// A file with an artifact's edits in it. All of them are looked for in the file as it was, so their
// order does not matter; all are made or none.
import type { TextEdit } from '../../contract/artifact.ts';
import { MAX_INSERTED, findEdit } from './find-edit.ts';
import type { FileForms, Replacement, RungName } from './find-edit.ts';
import { nearestLines } from './nearest-lines.ts';
import { toLines } from './text-lines.ts';

export type EditFailure =
  /** With the lines of the file that look most like it; the first few edits have them. */
  | { code: 'NO_MATCH'; editIndex: number; nearest: string }
  | { code: 'AMBIGUOUS'; editIndex: number; lines: number[] }
  /** With it the file would become larger than any that is used. */
  | { code: 'TOO_LARGE'; editIndex: number }
  /** It changes text that the other edit changes, too. */
  | { code: 'OVERLAP'; editIndex: number; otherIndex: number };

export type AppliedEdits =
  | { kind: 'applied'; text: string; rungs: RungName[] }
  | { kind: 'failed'; failures: EditFailure[] };

/** Nobody fixes more than these at once, and each look at the whole file takes its time. */
const MAX_NEAREST = 20;

interface PlacedReplacement extends Replacement {
  editIndex: number;
}

/** `maxFailures`: no more edits are looked for after so many that failed. */
export function applyEdits(
  original: string,
  edits: readonly TextEdit[],
  { maxFailures = Infinity }: { maxFailures?: number } = {},
): AppliedEdits {
  const file: FileForms = { text: original, lines: toLines(original), forms: new Map() };
  const failures: EditFailure[] = [];
  const rungs: RungName[] = [];
  const placed: PlacedReplacement[] = [];
  let inserted = 0;
  for (const [editIndex, edit] of edits.entries()) {
    if (failures.length >= maxFailures) break;
    const found = findEdit(file, edit);
    if (found.kind === 'missing') {
      const isEarly = failures.length < MAX_NEAREST;
      const nearest = isEarly ? nearestLines(file.lines, edit.oldText) : '';
      failures.push({ code: 'NO_MATCH', editIndex, nearest });
    } else if (found.kind === 'ambiguous') {
      failures.push({ code: 'AMBIGUOUS', editIndex, lines: found.lines });
    } else if (found.kind === 'too-large') {
      failures.push({ code: 'TOO_LARGE', editIndex });
    } else {
      for (const { text } of found.replacements) inserted += text.length;
      if (inserted > MAX_INSERTED) {
        failures.push({ code: 'TOO_LARGE', editIndex });
        break;
      }
      rungs.push(found.rung);
      for (const replacement of found.replacements) placed.push({ ...replacement, editIndex });
    }
  }
  placed.sort((a, b) => a.start - b.start || a.end - b.end || a.editIndex - b.editIndex);
  for (const [i, next] of placed.slice(1).entries()) {
    const before = placed[i]!;
    if (next.start >= before.end) continue;
    const [first, second] = [before.editIndex, next.editIndex].sort((a, b) => a - b);
    failures.push({ code: 'OVERLAP', editIndex: second!, otherIndex: first! });
  }
  if (failures.length > 0) return { kind: 'failed', failures };
  return { kind: 'applied', text: splice(original, placed), rungs };
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
