// A unified diff: the lines that changed with some that did not around them.
import { compareLines } from './compare-lines.ts';

/** Lines that others take the place of; either may be none. */
export interface Change {
  /** Counted from 0, as all places here. */
  oldAt: number;
  newAt: number;
  removed: number;
  /** With their endings. */
  added: readonly string[];
}

/** The lines of the old text that a hunk shows: from the first to before the last. */
export interface Range {
  from: number;
  to: number;
}

export const CONTEXT = 3;
const NO_ENDING = '\\ No newline at end of file';

/** With their endings, so that a text differs from one without a last line break. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop()!;
  const whole = lines.map((line) => `${line}\n`);
  return last === '' ? whole : [...whole, last];
}

function changesOf(a: readonly string[], b: readonly string[]): Change[] {
  const { removed, added } = compareLines(a, b);
  const changes: Change[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; i++, j++) {
    const [oldAt, newAt] = [i, j];
    while (removed[i]) i += 1;
    while (added[j]) j += 1;
    if (i > oldAt || j > newAt) {
      changes.push({ oldAt, newAt, removed: i - oldAt, added: b.slice(newAt, j) });
    }
  }
  return changes;
}

/** Changes whose surroundings touch belong together. */
function group(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const before = groups.at(-1)?.at(-1);
    const touches = before && change.oldAt - (before.oldAt + before.removed) <= 2 * CONTEXT;
    if (touches) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

function shown(sign: string, line: string): string[] {
  if (line.endsWith('\n')) return [sign + line.slice(0, -1)];
  return [sign + line, NO_ENDING];
}

/** With the lines around them. */
export function rangeOf(a: readonly string[], changes: readonly Change[]): Range {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  return {
    from: Math.max(0, first.oldAt - CONTEXT),
    to: Math.min(a.length, last.oldAt + last.removed + CONTEXT),
  };
}

/** As it is shown, its head first. */
export function hunkLines(
  a: readonly string[],
  changes: readonly Change[],
  { from, to }: Range = rangeOf(a, changes),
): string[] {
  const first = changes[0]!;
  const newFrom = first.newAt - (first.oldAt - from);
  const lines: string[] = [];
  let at = from;
  let size = to - from;
  for (const { oldAt, removed, added } of changes) {
    for (const line of a.slice(at, oldAt)) lines.push(...shown(' ', line));
    for (const line of a.slice(oldAt, oldAt + removed)) lines.push(...shown('-', line));
    for (const line of added) lines.push(...shown('+', line));
    at = oldAt + removed;
    size += added.length - removed;
  }
  for (const line of a.slice(at, to)) lines.push(...shown(' ', line));
  const start = (line: number, count: number) => (count === 0 ? line : line + 1);
  const oldRange = `${start(from, to - from)},${to - from}`;
  return [`@@ -${oldRange} +${start(newFrom, size)},${size} @@`, ...lines];
}

/** Changes that are shown together. */
export function groupedChanges(a: readonly string[], b: readonly string[]): Change[][] {
  return group(changesOf(a, b));
}

/** Without line breaks at their ends; none when the texts are the same. */
export function hunksOf(before: string, after: string): string[] {
  const a = splitLines(before);
  return groupedChanges(a, splitLines(after)).flatMap((changes) => hunkLines(a, changes));
}

/** With the two lines that name the file. */
export function diffLines(file: string, before: string, after: string): string[] {
  const hunks = hunksOf(before, after);
  return hunks.length === 0 ? [] : [`--- a/${file}`, `+++ b/${file}`, ...hunks];
}
