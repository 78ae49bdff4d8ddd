// A hunk that a person has edited: other lines are added and removed, where the old text still is as shown.
import { splitLines } from '../diff/hunks.ts';
import type { Change } from '../diff/hunks.ts';
import type { TextHunk } from './hunks.ts';

export type EditedHunk =
  | { kind: 'edited'; changes: Change[] }
  /** Nothing is left of it: the person has thought better of it. */
  | { kind: 'empty' }
  | { kind: 'unfit'; why: string };

interface Open {
  changes: Change[];
  at: number;
}

function add({ changes, at }: Open, removed: number, added: readonly string[]): void {
  const last = changes.at(-1);
  if (last !== undefined && last.oldAt + last.removed === at - removed) {
    last.removed += removed;
    last.added = [...last.added, ...added];
  } else changes.push({ oldAt: at - removed, newAt: at - removed, removed, added });
}

/** Lines that begin with # are not part of it. */
export function readEditedHunk(before: string, { from, to }: TextHunk, text: string): EditedHunk {
  const old = splitLines(before);
  const lines = splitLines(text)
    .map((line) => line.replace(/\n$/, ''))
    .filter((line) => !line.startsWith('#') && !line.startsWith('@@'));
  if (lines.every((line) => line === '')) return { kind: 'empty' };
  const open: Open = { changes: [], at: from };
  for (const line of lines) {
    const [sign, rest] = line === '' ? [' ', ''] : [line[0]!, line.slice(1)];
    if (sign === '\\') continue;
    // Editors like to end a file with one.
    if (line === '' && open.at === to) continue;
    if (sign === '+') {
      add(open, 0, [`${rest}\n`]);
      continue;
    }
    if (sign !== ' ' && sign !== '-') {
      return { kind: 'unfit', why: `"${line}" begins with neither a space nor + or -` };
    }
    const was = old[open.at];
    if (open.at >= to || was === undefined || was.replace(/\n$/, '') !== rest) {
      return { kind: 'unfit', why: `the file does not have the line "${rest}" there` };
    }
    open.at += 1;
    if (sign === '-') add(open, 1, []);
  }
  if (open.at !== to) return { kind: 'unfit', why: 'lines of the file are missing at its end' };
  return { kind: 'edited', changes: withOldEnd(open.changes, { old, lines }) };
}

/** The last line of the text stays without an ending where the edited hunk says so. */
function withOldEnd(
  changes: Change[],
  { old, lines }: { old: readonly string[]; lines: readonly string[] },
): Change[] {
  const last = changes.at(-1);
  if (last === undefined || last.oldAt + last.removed !== old.length) return changes;
  if (last.added.length === 0 || !lines.at(-1)!.startsWith('\\')) return changes;
  const added = [...last.added.slice(0, -1), last.added.at(-1)!.replace(/\n$/, '')];
  return [...changes.slice(0, -1), { ...last, added }];
}
