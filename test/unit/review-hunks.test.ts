// Hunks of a change, and the file that a part of them makes: whatever the endings of its lines are.
import { describe, expect, it } from 'vitest';
import { readEditedHunk } from '../../src/domain/review/edited-hunk.ts';
import type { Decision } from '../../src/domain/review/decision.ts';
import type { TextHunk } from '../../src/domain/review/hunks.ts';
import {
  acceptedChange,
  hunksAsDecided,
  split,
  toReviewed,
} from '../../src/orchestrator/review/reviewed-file.ts';
import type { FileChange } from '../../src/orchestrator/apply/file-change.ts';

const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));

const change = (before: string | null, after: string | null, more: Partial<FileChange> = {}) => ({
  path: 'a.txt',
  before: bytes(before),
  after: bytes(after),
  mode: 0o644,
  ...more,
});

/** The text of the file where only hunks of these numbers are accepted. */
function withHunks(before: string | null, after: string | null, numbers: readonly number[]) {
  const file = toReviewed(change(before, after));
  const decisions = new Map<string, Decision>(
    file.hunks.map(({ id }, at) => [id, { kind: numbers.includes(at) ? 'accepted' : 'rejected' }]),
  );
  const left = acceptedChange(file, decisions);
  return left === undefined ? before : (left.after?.toString('utf8') ?? null);
}

const numbered = (count: number, ending = '\n') =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}${ending}`).join('');

describe('a part of the hunks', () => {
  it.each(['\n', '\r\n'])(
    'makes a file with only these changes, lines ending with %j',
    (ending) => {
      const before = numbered(30, ending);
      const one = `first${ending}`;
      const two = `last${ending}more${ending}`;
      const withOne = before.replace(`line 2${ending}`, one);
      const withTwo = before.replace(`line 29${ending}`, two);
      const after = withOne.replace(`line 29${ending}`, two);
      expect(withHunks(before, after, [])).toBe(before);
      expect(withHunks(before, after, [0])).toBe(withOne);
      expect(withHunks(before, after, [1])).toBe(withTwo);
      expect(withHunks(before, after, [0, 1])).toBe(after);
    },
  );

  it('keeps or drops the line break at the end with the hunk that it belongs to', () => {
    const before = `${numbered(20)}end`;
    const after = `start\n${numbered(20)}end\n`;
    expect(withHunks(before, after, [0])).toBe(`start\n${before}`);
    expect(withHunks(before, after, [1])).toBe(`${numbered(20)}end\n`);
    expect(withHunks(after, before, [0])).toBe(`${numbered(20)}end\n`);
    expect(withHunks(after, before, [1])).toBe(`start\n${numbered(20)}end`);
  });

  it('is the whole file where it is new, goes, is empty or is not text', () => {
    for (const [before, after] of [
      [null, 'new\n'],
      [null, ''],
      ['old\n', null],
      ['', null],
      ['\0one', '\0two'],
      [null, '\0two'],
    ] as const) {
      expect(toReviewed(change(before, after)).hunks).toHaveLength(1);
      expect(withHunks(before, after, [0])).toBe(after);
      expect(withHunks(before, after, [])).toBe(before);
    }
  });

  it('has the new mode of the file only where that was accepted', () => {
    const file = toReviewed(change('a\n', 'b\n', { newMode: 0o755 }));
    const [mode, lines] = file.hunks;
    expect([mode!.kind, lines!.kind]).toEqual(['mode', 'lines']);
    const left = (ids: readonly string[]) =>
      acceptedChange(file, new Map(ids.map((id) => [id, { kind: 'accepted' }])));
    expect(left([mode!.id])).toMatchObject({ after: bytes('a\n'), mode: 0o644, newMode: 0o755 });
    expect(left([lines!.id])).toEqual(change('a\n', 'b\n'));
    expect(left([])).toBeUndefined();
  });
});

describe('a hunk', () => {
  it('is split into its single changes, and stays so while one of them is decided', () => {
    const before = numbered(9);
    const after = before
      .replace('line 3', 'three')
      .replace('line 6', 'six')
      .replace('line 9', 'nine');
    const file = toReviewed(change(before, after));
    const pieces = split(file, file.hunks[0]!);
    expect(pieces).toHaveLength(3);
    const decisions = new Map<string, Decision>([[pieces[1]!.id, { kind: 'accepted' }]]);
    expect(hunksAsDecided(file, decisions)).toEqual(pieces);
    expect(acceptedChange(file, decisions)?.after?.toString()).toBe(
      before.replace('line 6', 'six'),
    );
    expect(split(file, pieces[0]!)).toEqual([pieces[0]]);
  });

  it('is the same one elsewhere in the file, and another one with other lines', () => {
    const idsOf = (before: string, after: string) =>
      toReviewed(change(before, after)).hunks.map(({ id }) => id);
    const before = numbered(20);
    const after = before.replace('line 10\n', 'ten\n');
    const moved = idsOf(`above\n${before}`, `above\n${after}`);
    expect(moved).toEqual(idsOf(before, after));
    expect(idsOf(before, before.replace('line 10\n', 'other\n'))).not.toEqual(moved);
    const twice = idsOf(
      'x\n'.repeat(20),
      `${'x\n'.repeat(5)}y\n${'x\n'.repeat(10)}y\n${'x\n'.repeat(5)}`,
    );
    expect(new Set(twice).size).toBe(2);
  });
});

describe('an edited hunk', () => {
  const before = numbered(9);
  const after = before.replace('line 5', 'five');
  const file = toReviewed(change(before, after));
  const hunk = file.hunks[0] as TextHunk;
  const textOf = (edit: (text: string) => string) =>
    readEditedHunk(before, hunk, `${edit(hunk.lines.join('\n'))}\n# a remark\n`);

  const resultOf = (edit: (text: string) => string) => {
    const read = textOf(edit);
    if (read.kind !== 'edited') return read;
    const changes = read.changes.map((one) => ({ ...one, oldAt: one.oldAt - hunk.from }));
    const left = acceptedChange(file, new Map([[hunk.id, { kind: 'edited', changes }]]));
    return left?.after?.toString() ?? before;
  };

  it('adds, removes and keeps lines as it says', () => {
    expect(resultOf((text) => text)).toBe(after);
    expect(resultOf((text) => text.replace('+five', '+FIVE\n+and more'))).toBe(
      before.replace('line 5', 'FIVE\nand more'),
    );
    expect(resultOf((text) => text.replace('-line 5', ' line 5'))).toBe(
      before.replace('line 5\n', 'line 5\nfive\n'),
    );
    expect(resultOf((text) => text.replace('-line 5\n+five', ' line 5'))).toBe(before);
    expect(resultOf((text) => text.replace(' line 3', '-line 3'))).toBe(
      after.replace('line 3\n', ''),
    );
  });

  it('is refused where the file does not have its lines, and given up where it is empty', () => {
    expect(textOf((text) => text.replace(' line 3', ' line three'))).toMatchObject({
      kind: 'unfit',
    });
    expect(textOf((text) => text.replace(/\n[^\n]*$/, ''))).toMatchObject({ kind: 'unfit' });
    expect(textOf((text) => text.replace(' line 3', 'line 3'))).toMatchObject({ kind: 'unfit' });
    expect(textOf(() => '')).toEqual({ kind: 'empty' });
  });

  it('keeps the end of a text without a last line break', () => {
    const old = 'a\nb';
    const one = toReviewed(change(old, 'a\nc'));
    const its = one.hunks[0] as TextHunk;
    const edit = (from: string, to: string) => {
      const read = readEditedHunk(old, its, its.lines.join('\n').replace(from, to));
      if (read.kind !== 'edited') throw new Error(read.kind);
      const left = acceptedChange(one, new Map([[its.id, read]]));
      return left?.after?.toString();
    };
    expect(edit('+c', '+d')).toBe('a\nd');
    expect(edit('+c\n\\ No newline at end of file', '+d')).toBe('a\nd\n');
    // The last line of before is one in the middle now, and cannot stay without an ending.
    expect(edit('-b', ' b')).toBe('a\nb\nc');
  });
});
