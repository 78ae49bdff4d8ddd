// The rows of a diff, the comments between them, and how high it all is.
import { describe, expect, it } from 'vitest';
import type { ReviewComment } from '../../../src/contract/review-api.ts';
import {
  commentsByPath,
  pinnedLines,
  quoteOf,
  withComments,
} from '../../../web/pages/review/model/comments.ts';
import type { ReviewRow } from '../../../web/pages/review/model/comments.ts';
import { diffRows } from '../../../web/pages/review/model/diff-rows.ts';
import type { DiffOptions, DiffRow, FileText } from '../../../web/pages/review/model/diff-rows.ts';
import { Layout } from '../../../web/pages/review/model/layout.ts';
import { unitsOf } from '../../../web/pages/review/model/units.ts';
import { file, hunk, idOf } from './files.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `l${at + 1}\n`);
const texts = (before: string[] | null, after: string[] | null): FileText => ({
  before: before?.join('') ?? null,
  after: after?.join('') ?? null,
  notShown: null,
});

/** Line 10 and line 14 of 30 are others; a line comes after 25. */
const before = numbered(30);
const after = before.flatMap((line, at) =>
  at === 9 || at === 13 ? [`n${at + 1}\n`] : at === 24 ? [line, 'more\n'] : [line],
);
const text = texts(before, after);
const near = hunk('near', { oldFrom: 6, oldTo: 17, newFrom: 6, newTo: 17 });
const far = hunk('far', { oldFrom: 22, oldTo: 28, newFrom: 22, newTo: 29 });
const edited = file('a.ts', { hunks: [near, far] });
const units = edited.hunks.flatMap((one) => unitsOf(one, {}, new Set()));
const options: DiffOptions = { units, gaps: new Map(), isWhole: false, pinned: [] };

function shown(rows: readonly ReviewRow[]): string[] {
  return rows.map((row) => {
    switch (row.kind) {
      case 'unit':
        return `@ ${row.unit.id === near.id ? 'near' : row.unit.id === far.id ? 'far' : 'one'}`;
      case 'line':
        return `${row.sign}${row.text}`;
      case 'gap':
        return `... ${row.count}`;
      case 'note':
        return row.text;
      case 'comment':
        return `# ${row.shown.comment.text}${row.shown.isOutdated ? ' (outdated)' : ''}`;
      case 'editor':
        return `? ${row.range.from}-${row.range.to}`;
    }
  });
}

const DIFF = [
  ['... 6', '@ near', ' l7', ' l8', ' l9', '-l10', '+n10', ' l11', ' l12', ' l13', '-l14', '+n14'],
  [' l15', ' l16', ' l17', '... 5', '@ far'],
  [' l23', ' l24', ' l25', '+more', ' l26', ' l27', ' l28', '... 2'],
].flat();

describe('the rows of a diff', () => {
  it('are the hunks with their lines, and what is between them', () => {
    const rows = diffRows(edited, text, options);
    expect(shown(rows)).toEqual(DIFF);
    const lines = rows.flatMap((row) => (row.kind === 'line' ? [row] : []));
    expect(lines.find((row) => row.text === 'n14')).toMatchObject({
      oldLine: undefined,
      newLine: 14,
      unit: near.id,
      other: 'l14',
    });
    expect(lines.at(-1)).toMatchObject({ oldLine: 28, newLine: 29 });
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('have three lines around a hunk that comes without any', () => {
    const bare = hunk('near', { oldFrom: 9, oldTo: 10, newFrom: 9, newTo: 10 });
    const one = file('a.ts', { hunks: [bare] });
    const rows = diffRows(one, texts(before, before.with(9, 'n10\n')), {
      ...options,
      units: unitsOf(bare, {}, new Set()),
    });
    expect(shown(rows)).toEqual([
      '... 6',
      '@ near',
      ' l7',
      ' l8',
      ' l9',
      '-l10',
      '+n10',
      ' l11',
      ' l12',
      ' l13',
      '... 17',
    ]);
  });

  it('show more of what is between, all of it, or where a comment is', () => {
    const of = (more: Partial<DiffOptions>) =>
      shown(diffRows(edited, text, { ...options, ...more }));
    expect(of({ gaps: new Map([[1, { down: 2, up: 1 }]]) })).toEqual(
      DIFF.flatMap((row) =>
        row === '... 5' ? [' l18', ' l19', '... 2', '@ far', ' l22'] : row === '@ far' ? [] : [row],
      ),
    );
    expect(of({ isWhole: true }).filter((row) => row.startsWith('...'))).toEqual([]);
    expect(of({ isWhole: true })).toHaveLength(30 + 2 + 3);
    expect(of({ pinned: [20] }).filter((row) => row.startsWith('...'))).toEqual(['... 6', '... 2']);
  });

  it('split with the hunk', () => {
    const parts = [
      { id: idOf('p1'), oldFrom: 6, oldTo: 13, newFrom: 6, newTo: 13 },
      { id: idOf('p2'), oldFrom: 13, oldTo: 17, newFrom: 13, newTo: 17 },
    ];
    const own = { ...near, parts };
    const split = unitsOf(own, {}, new Set([near.id]));
    const rows = diffRows(file('a.ts', { hunks: [own] }), text, { ...options, units: split });
    const at = rows.findIndex(({ kind }) => kind === 'unit');
    const second = rows.findLastIndex(({ kind }) => kind === 'unit');
    expect(shown(rows.slice(at + 1, second))).toEqual([
      ' l7',
      ' l8',
      ' l9',
      '-l10',
      '+n10',
      ' l11',
      ' l12',
      ' l13',
    ]);
    expect(rows[second + 1]).toMatchObject({ text: 'l14', unit: idOf('p2') });
  });

  it('are whole files where they come or go, and a sentence where there is no text', () => {
    const whole = hunk('one', { kind: 'whole', oldTo: 2, newTo: 0 });
    const gone = file('a.ts', { kind: 'delete', hunks: [whole] });
    const own = { ...options, units: unitsOf(whole, {}, new Set()) };
    expect(shown(diffRows(gone, texts(['a\n', 'b'], null), own))).toEqual(['@ one', '-a', '-b']);
    const rows = diffRows(gone, texts(['a\n', 'b'], null), own) as {
      isLastWithoutBreak?: boolean;
    }[];
    expect(rows.map(({ isLastWithoutBreak }) => isLastWithoutBreak)).toEqual([
      undefined,
      false,
      true,
    ]);
    const large = { before: null, after: null, notShown: 'large' } as const;
    expect(shown(diffRows(gone, large, own))[1]).toContain('too large');
    const mode = hunk('one', { kind: 'mode' });
    const modeOnly = file('a.ts', { hunks: [mode] });
    expect(
      shown(
        diffRows(modeOnly, texts(['a\n'], ['a\n']), {
          ...options,
          units: unitsOf(mode, {}, new Set()),
        }),
      ),
    ).toEqual(['@ one', 'No lines to compare.']);
  });

  it('say of what kind line breaks are only where they differ', () => {
    const one = file('a.ts', { hunks: [hunk('one')] });
    const own = { ...options, units: unitsOf(hunk('one'), {}, new Set()) };
    const crlf = texts(['a\r\n', 'b\r\n'], ['x\r\n', 'b\r\n']);
    expect(shown(diffRows(one, crlf, own))).toEqual(['@ one', '-a', '+x', ' b']);
    const mixed = texts(['a\r\n', 'b\r\n'], ['a\n', 'b\r\n']);
    expect(shown(diffRows(one, mixed, own))).toEqual(['@ one', '-a\r', '+a', ' b']);
  });

  it('never break on places that do not fit the text', () => {
    const wrong = hunk('near', { oldFrom: 5, oldTo: 500, newFrom: 5, newTo: 500 });
    const rows = diffRows(file('a.ts', { hunks: [wrong, far] }), text, {
      ...options,
      units: [wrong, far].flatMap((one) => unitsOf(one, {}, new Set())),
    });
    expect(shown(rows)).toContain('+more');
  });
});

describe('comments', () => {
  const said = (more: Partial<ReviewComment> = {}): ReviewComment => ({
    path: 'a.ts',
    side: 'new',
    line: 10,
    hunk: near.id,
    text: 'Why?',
    quoted: 'n10',
    ...more,
  });
  const place = (comment: ReviewComment, editor?: { from: number; to: number }) => {
    const own = commentsByPath({ comments: [] }, { 'comment-1': comment }).get('a.ts')!;
    const range = editor && { path: 'a.ts', side: 'new' as const, hunk: undefined, ...editor };
    const rows: DiffRow[] = diffRows(edited, text, { ...options, pinned: pinnedLines(own, range) });
    return shown(
      withComments(rows, edited, {
        text,
        comments: own,
        editor: range && { range, id: undefined },
      }),
    );
  };

  it('are below their last line', () => {
    const rows = place(said());
    expect(rows[rows.indexOf('+n10') + 1]).toBe('# Why?');
    const two = place(said({ line: 9, endLine: 11, quoted: 'l9\nn10\nl11' }));
    expect(two[two.indexOf(' l11') + 1]).toBe('# Why?');
    const old = place(said({ side: 'old', quoted: 'l10' }));
    expect(old[old.indexOf('-l10') + 1]).toBe('# Why?');
    const editing = place(said(), { from: 20, to: 20 });
    expect(editing[editing.indexOf(' l20') + 1]).toBe('? 20-20');
  });

  it('whose hunk is another one now are outdated, above the file, and nowhere else', () => {
    expect(place(said({ hunk: idOf('gone') }))[0]).toBe('# Why? (outdated)');
    expect(place(said({ hunk: undefined, line: 2, quoted: 'was' }))[0]).toBe('# Why? (outdated)');
    expect(place(said({ hunk: idOf('gone') })).filter((row) => row.startsWith('#'))).toHaveLength(
      1,
    );
  });

  it('whose hunk is there but not their lines are below its bar, and on no other lines', () => {
    for (const moved of [said({ quoted: 'something else' }), said({ line: 900 })]) {
      const rows = place(moved);
      expect(rows[rows.indexOf('@ near') + 1]).toBe('# Why?');
    }
  });

  it('on the file as a whole are above it', () => {
    expect(place(said({ hunk: undefined, line: 0, quoted: '' }))[0]).toBe('# Why?');
  });

  it('quote their lines as they are', () => {
    const range = { path: 'a.ts', side: 'new', from: 9, to: 10, hunk: undefined } as const;
    expect(quoteOf(text, range)).toBe('l9\nn10');
    expect(quoteOf(text, { ...range, side: 'old' })).toBe('l9\nl10');
    const odd = texts(null, ['a\r\n', '\r\n', 'c']);
    // An empty last line would be lost without its end.
    expect(quoteOf(odd, { ...range, from: 1, to: 2 })).toBe('a\n\n');
    expect(quoteOf(odd, { ...range, from: 2, to: 3 })).toBe('\nc');
  });
});

describe('heights', () => {
  const rows = (...keys: string[]) => keys.map((key) => ({ key }));
  const blocks = [
    { id: 'a', rows: rows('1', '2', '3') },
    { id: 'b', rows: [] },
    { id: 'c', rows: rows('1') },
  ];
  const newLayout = () => {
    const layout = new Layout({ headHeight: 40, space: 10, estimate: () => 20 });
    layout.setBlocks(blocks);
    return layout;
  };

  it('are estimated until they are measured', () => {
    const layout = newLayout();
    expect(layout.total).toBe(40 + 60 + 10 + 40 + 10 + 40 + 20 + 10);
    expect(layout.topOf({ block: 'c', row: '1' })).toBe(200);
    expect(layout.measure({ block: 'a', row: '2' }, 20)).toBe(false);
    expect(layout.measure({ block: 'a', row: '2' }, 80)).toBe(true);
    expect(layout.measure({ block: 'a', row: undefined }, 50)).toBe(true);
    expect(layout.topOf({ block: 'a', row: '3' })).toBe(50 + 20 + 80);
    expect(layout.topOf({ block: 'c', row: '1' })).toBe(270);
    // What was measured holds when rows come and go.
    layout.setBlocks([{ id: 'a', rows: rows('0', '2') }, ...blocks.slice(1)]);
    expect(layout.topOf({ block: 'a', row: '2' })).toBe(70);
    expect(layout.heightOfBlock(0)).toBe(50 + 20 + 80);
    expect(layout.topOf({ block: 'a', row: '3' })).toBeUndefined();
    expect(layout.topOf({ block: 'x', row: undefined })).toBeUndefined();
  });

  it('say what is at a place, and what is between two', () => {
    const layout = newLayout();
    expect(layout.spotAt(-5)).toEqual({ block: 'a', row: undefined });
    expect(layout.spotAt(61)).toEqual({ block: 'a', row: '2' });
    expect(layout.spotAt(1e9)).toEqual({ block: 'c', row: '1' });
    expect(layout.blocksBetween(100, 170)).toEqual({ first: 0, last: 2 });
    expect(layout.rowsBetween(0, 45, 79)).toEqual({ first: 0, end: 2 });
    expect(layout.rowsBetween(0, 500, 900)).toEqual({ first: 0, end: 0 });
    expect(layout.rowsBetween(1, 0, 900)).toEqual({ first: 0, end: 0 });
    layout.setBlocks([]);
    expect(layout.total).toBe(0);
    expect(layout.spotAt(0)).toBeUndefined();
  });
});
