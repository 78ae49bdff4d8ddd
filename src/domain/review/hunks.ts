// The change of a text in the pieces that a person decides about, one by one. A piece is known by what it
// says, not by where it is: a decision about it holds while the lines are the same.
import { groupedChanges, hunkLines, rangeOf, splitLines } from '../diff/hunks.ts';
import type { Change, Range } from '../diff/hunks.ts';

export interface TextHunk extends Range {
  kind: 'lines';
  id: string;
  /** As they are shown, the head of the hunk first. */
  lines: readonly string[];
  changes: readonly Change[];
}

/** Of a text that no other text has; from outside, because nothing here computes digests. */
export type Digest = (text: string) => string;

/** Apart by number where a file has the same lines twice. */
export function textHunks(
  { path, before, after }: { path: string; before: string; after: string },
  digest: Digest,
): TextHunk[] {
  const old = splitLines(before);
  const seen = new Map<string, number>();
  return groupedChanges(old, splitLines(after)).map((changes) => {
    const lines = hunkLines(old, changes);
    const said = lines.slice(1).join('\n');
    const nth = seen.get(said) ?? 0;
    seen.set(said, nth + 1);
    const id = digest(JSON.stringify([path, nth, said]));
    return { kind: 'lines', id, lines, changes, ...rangeOf(old, changes) };
  });
}

/** The lines of the new text that it shows. */
export function newRangeOf({ from, to, changes }: TextHunk): Range {
  const first = changes[0]!;
  const start = first.newAt - (first.oldAt - from);
  const size = changes.reduce((sum, { added, removed }) => sum + added.length - removed, to - from);
  return { from: start, to: start + size };
}

/** Into its single changes; the lines between two of them belong to the first. */
export function splitHunk(before: string, hunk: TextHunk, digest: Digest): TextHunk[] {
  const { changes, id } = hunk;
  if (changes.length < 2) return [hunk];
  const old = splitLines(before);
  return changes.map((change, at) => {
    const range = {
      from: at === 0 ? hunk.from : change.oldAt,
      to: changes[at + 1]?.oldAt ?? hunk.to,
    };
    const lines = hunkLines(old, [change], range);
    return { kind: 'lines', id: digest(`${id} ${at}`), lines, changes: [change], ...range };
  });
}

/** What becomes of the text with these changes only. */
export function textWith(before: string, changes: readonly Change[]): string {
  const old = splitLines(before);
  const lines: string[] = [];
  let at = 0;
  for (const { oldAt, removed, added } of changes.toSorted((a, b) => a.oldAt - b.oldAt)) {
    for (const line of old.slice(at, oldAt)) lines.push(line);
    for (const line of added) lines.push(line);
    at = oldAt + removed;
  }
  for (const line of old.slice(at)) lines.push(line);
  // Only the last line of a text can be without an ending.
  const last = lines.length - 1;
  return lines.map((line, i) => (i < last && !line.endsWith('\n') ? `${line}\n` : line)).join('');
}
