// A unified diff: the lines that changed with some that did not around them.
import { compareLines } from './compare-lines.ts';

interface Change {
  oldAt: number;
  newAt: number;
  removed: number;
  added: number;
}

const CONTEXT = 3;
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
    const start: Change = { oldAt: i, newAt: j, removed: 0, added: 0 };
    while (removed[i]) i += 1;
    while (added[j]) j += 1;
    if (i > start.oldAt || j > start.newAt) {
      changes.push({ ...start, removed: i - start.oldAt, added: j - start.newAt });
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

function hunk(a: readonly string[], b: readonly string[], changes: readonly Change[]): string[] {
  const first = changes[0]!;
  const last = changes.at(-1)!;
  const from = Math.max(0, first.oldAt - CONTEXT);
  const to = Math.min(a.length, last.oldAt + last.removed + CONTEXT);
  const newFrom = first.newAt - (first.oldAt - from);
  const lines: string[] = [];
  let at = from;
  let size = to - from;
  for (const { oldAt, newAt, removed, added } of changes) {
    for (const line of a.slice(at, oldAt)) lines.push(...shown(' ', line));
    for (const line of a.slice(oldAt, oldAt + removed)) lines.push(...shown('-', line));
    for (const line of b.slice(newAt, newAt + added)) lines.push(...shown('+', line));
    at = oldAt + removed;
    size += added - removed;
  }
  for (const line of a.slice(at, to)) lines.push(...shown(' ', line));
  const start = (line: number, count: number) => (count === 0 ? line : line + 1);
  const oldRange = `${start(from, to - from)},${to - from}`;
  return [`@@ -${oldRange} +${start(newFrom, size)},${size} @@`, ...lines];
}

/** Without line breaks at their ends; none when the texts are the same. */
export function hunksOf(before: string, after: string): string[] {
  const a = splitLines(before);
  const b = splitLines(after);
  return group(changesOf(a, b)).flatMap((changes) => hunk(a, b, changes));
}

/** With the two lines that name the file. */
export function diffLines(file: string, before: string, after: string): string[] {
  const hunks = hunksOf(before, after);
  return hunks.length === 0 ? [] : [`--- a/${file}`, `+++ b/${file}`, ...hunks];
}
