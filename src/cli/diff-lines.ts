// A unified diff of two texts that differ in few places. It may show more than the least possible,
// never something wrong: where the texts part it looks for the nearest place where they meet again.

interface Change {
  oldAt: number;
  newAt: number;
  removed: number;
  added: number;
}

const CONTEXT = 3;
/** How far it looks for that place; farther, the rest counts as changed. */
const REACH = 2000;

function meetsAgain(a: readonly string[], b: readonly string[], i: number, j: number): boolean {
  if (i === a.length || j === b.length) return i === a.length && j === b.length;
  if (a[i] !== b[j]) return false;
  // One equal line may be chance (an empty line, a brace); two hardly are.
  return i + 1 === a.length || j + 1 === b.length || a[i + 1] === b[j + 1];
}

function nextMeeting(a: readonly string[], b: readonly string[], i: number, j: number) {
  for (let sum = 1; sum <= REACH; sum++) {
    for (let removed = 0; removed <= sum; removed++) {
      const added = sum - removed;
      if (i + removed > a.length || j + added > b.length) continue;
      if (meetsAgain(a, b, i + removed, j + added)) return { removed, added };
    }
  }
  return { removed: a.length - i, added: b.length - j };
}

function findChanges(a: readonly string[], b: readonly string[]): Change[] {
  const changes: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const { removed, added } = nextMeeting(a, b, i, j);
    changes.push({ oldAt: i, newAt: j, removed, added });
    i += removed;
    j += added;
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
    for (const line of a.slice(at, oldAt)) lines.push(` ${line}`);
    for (const line of a.slice(oldAt, oldAt + removed)) lines.push(`-${line}`);
    for (const line of b.slice(newAt, newAt + added)) lines.push(`+${line}`);
    at = oldAt + removed;
    size += added - removed;
  }
  for (const line of a.slice(at, to)) lines.push(` ${line}`);
  const start = (line: number, count: number) => (count === 0 ? line : line + 1);
  const oldRange = `${start(from, to - from)},${to - from}`;
  return [`@@ -${oldRange} +${start(newFrom, size)},${size} @@`, ...lines];
}

/** Empty when the texts are the same. */
export function diffLines(file: string, before: string, after: string): string[] {
  const split = (text: string) => text.replace(/\n$/, '').split('\n');
  const a = split(before);
  const b = split(after);
  const groups = group(findChanges(a, b));
  if (groups.length === 0) return [];
  return [`--- a/${file}`, `+++ b/${file}`, ...groups.flatMap((changes) => hunk(a, b, changes))];
}
