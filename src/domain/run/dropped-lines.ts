// Lines that another stream of the same run added may go only by an edit that names them. A model that writes a
// whole file from memory leaves them out without noticing, and the run would end as complete without them.
import { compareLines } from '../diff/compare-lines.ts';

export interface AddedLines {
  /** Who added them. */
  stream: string;
  /** Without the blanks around them; each as often as it was added. */
  lines: readonly string[];
}

const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim());

/** Brackets and rules are in every file: only lines that say something can be missed. */
const isTelling = (line: string): boolean => /[\p{L}\p{N}]/u.test(line);

/** What a change of a file brought into it. */
export function addedBy(before: string, after: string): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const { added } = compareLines(old, now);
  return now.filter((line, at) => added[at] === 1 && isTelling(line));
}

/**
 * Which of the lines that others added are in `before` and no longer in `after`. A line that only moves or is indented
 * otherwise is still there.
 */
export function droppedLines(
  others: readonly AddedLines[],
  { before, after }: { before: string; after: string },
): AddedLines[] {
  const [then, now] = [countsOf(linesOf(before)), countsOf(linesOf(after))];
  return others.flatMap(({ stream, lines }) => {
    const dropped = [...countsOf(lines)].flatMap(([line, count]) => {
      const needed = Math.min(count, then.get(line) ?? 0);
      return (now.get(line) ?? 0) < needed ? [line] : [];
    });
    return dropped.length > 0 ? [{ stream, lines: dropped }] : [];
  });
}

const MAX_LISTED = 40;

/** For the model that is asked again. */
export function droppedText(dropped: readonly AddedLines[]): { message: string; lines: string } {
  const streams = dropped.map(({ stream }) => stream).join(', ');
  const lines = [...new Set(dropped.flatMap(({ lines: each }) => each))];
  const more = lines.length > MAX_LISTED ? [`(and ${lines.length - MAX_LISTED} more)`] : [];
  return {
    message: `It drops lines that ${streams} added in this run. Keep them, or remove them by edits whose SEARCH texts name them.`,
    lines: [...lines.slice(0, MAX_LISTED), ...more].join('\n'),
  };
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
