// What the page of a review decides without a page: trees, filters, decisions, words, segments.
import { describe, expect, it } from 'vitest';
import { textParts } from '../../../src/domain/text/hidden-characters.ts';
import { filterFiles } from '../../../web/pages/review/model/filter.ts';
import type { FilterFacts, ReviewFilter } from '../../../web/pages/review/model/filter.ts';
import { lineSegments } from '../../../web/ui/diff/line-segments.ts';
import { inTreeOrder, treeRows } from '../../../web/pages/review/model/tree.ts';
import {
  countDecisions,
  decideFile,
  decideUnit,
  decisionOfFile,
  joinHunk,
  splitHunk,
  unitsOf,
} from '../../../web/pages/review/model/units.ts';
import type { Decisions } from '../../../web/pages/review/model/units.ts';
import { changedWords } from '../../../web/ui/diff/words.ts';
import { file, hunk, idOf, splittable } from './files.ts';

describe('the tree of files', () => {
  const files = [
    'src/b.ts',
    'README.md',
    'src/a/deep/er/x.ts',
    'src/a/deep/er/w.ts',
    'docs/only/one.md',
  ];
  const shown = (closed: readonly string[] = []) =>
    treeRows(
      files.map((path) => file(path)),
      new Set(closed),
    ).map(
      (row) =>
        `${'  '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? `/ ${row.files}` : ''}`,
    );

  it('has folders first, and one row for folders with nothing else in them', () => {
    expect(shown()).toEqual([
      'docs/only/ 1',
      '  one.md',
      'src/ 3',
      '  a/deep/er/ 2',
      '    w.ts',
      '    x.ts',
      '  b.ts',
      'README.md',
    ]);
  });

  it('leaves out what is in a closed folder, and keeps its place in the order', () => {
    expect(shown(['src/a/deep/er', 'docs/only'])).toEqual([
      'docs/only/ 1',
      'src/ 3',
      '  a/deep/er/ 2',
      '  b.ts',
      'README.md',
    ]);
    expect(inTreeOrder(files.map((path) => file(path))).map(({ path }) => path)).toEqual([
      'docs/only/one.md',
      'src/a/deep/er/w.ts',
      'src/a/deep/er/x.ts',
      'src/b.ts',
      'README.md',
    ]);
  });

  it('is not led astray by names that objects have', () => {
    const odd = ['constructor/__proto__/a.ts', '__proto__'].map((path) => file(path));
    expect(treeRows(odd, new Set()).map(({ name }) => name)).toEqual([
      'constructor/__proto__',
      'a.ts',
      '__proto__',
    ]);
  });
});

describe('a filter', () => {
  const files = [
    file('src/Api.ts', { streams: ['api'] }),
    file('src/web.ts', { streams: ['web', 'fix'] }),
    file('docs/new.md', { streams: ['docs'], renamedFrom: 'docs/api-old.md' }),
    file('constructor'),
  ];
  const facts: FilterFacts = {
    draft: { decisions: { [idOf('src/Api.ts')]: 'accepted' }, viewed: { 'src/web.ts': true } },
    hasComments: (path) => path === 'docs/new.md',
    earlier: new Set([idOf('src/Api.ts'), idOf('constructor')]),
    failed: 'fix',
  };
  const found = (filter: Partial<ReviewFilter>, more: Partial<FilterFacts> = {}) =>
    filterFiles(
      files,
      { text: '', state: undefined, stream: undefined, ...filter },
      { ...facts, ...more },
    ).map(({ path }) => path);

  it('is by path in any case, also by the one before, and by stream', () => {
    expect(found({})).toHaveLength(4);
    expect(found({ text: ' API' })).toEqual(['src/Api.ts', 'docs/new.md']);
    expect(found({ stream: 'fix' })).toEqual(['src/web.ts']);
    expect(found({ text: 'src', stream: 'api' })).toEqual(['src/Api.ts']);
  });

  it('is by what the reader has done, and by what is new', () => {
    expect(found({ state: 'unviewed' })).toEqual(['src/Api.ts', 'docs/new.md', 'constructor']);
    expect(found({ state: 'undecided' })).toEqual(['src/web.ts', 'docs/new.md', 'constructor']);
    expect(found({ state: 'commented' })).toEqual(['docs/new.md']);
    expect(found({ state: 'changed' })).toEqual(['src/web.ts', 'docs/new.md']);
    expect(found({ state: 'failed' })).toEqual(['src/web.ts']);
    // Until it is known what was there before, nothing is held back.
    expect(found({ state: 'changed' }, { earlier: undefined })).toHaveLength(4);
  });
});

describe('decisions', () => {
  const parted = splittable('s');
  const [first, second] = parted.parts!;
  const none = new Set<string>();
  const apply = (before: Decisions, changes: Record<string, string | null>) =>
    Object.fromEntries(
      Object.entries({ ...before, ...changes }).filter(([, said]) => said !== null),
    );

  it('are about a hunk or its parts, never both', () => {
    expect(unitsOf(parted, {}, none).map(({ id }) => id)).toEqual([parted.id]);
    expect(unitsOf(parted, {}, new Set([parted.id])).map(({ part }) => part)).toEqual([1, 2]);
    expect(unitsOf(parted, { [first!.id]: 'accepted' }, none)).toHaveLength(2);
    expect(unitsOf(parted, { [parted.id]: 'accepted' }, new Set([parted.id]))).toHaveLength(1);
    const split = apply(
      { [parted.id]: 'rejected' },
      splitHunk(parted, { [parted.id]: 'rejected' }),
    );
    expect(split).toEqual({ [first!.id]: 'rejected', [second!.id]: 'rejected' });
    expect(apply(split as Decisions, joinHunk(parted, split as Decisions))).toEqual({
      [parted.id]: 'rejected',
    });
    const mixed: Decisions = { [first!.id]: 'rejected', [second!.id]: 'accepted' };
    expect(apply(mixed, joinHunk(parted, mixed))).toEqual({});
    const [whole] = unitsOf(parted, {}, none);
    expect(apply(mixed, decideUnit(whole!, 'accepted', mixed))).toEqual({
      [parted.id]: 'accepted',
    });
  });

  it('about a file take those about its parts away', () => {
    const one = file('a', { hunks: [parted, hunk('h')] });
    const before: Decisions = { [first!.id]: 'rejected' };
    expect(decisionOfFile(one, {})).toBe('undecided');
    expect(decisionOfFile(one, before)).toBe('mixed');
    expect(countDecisions([one], before)).toEqual({ accepted: 0, rejected: 1, undecided: 2 });
    const after = apply(before, decideFile(one, 'accepted', before)) as Decisions;
    expect(after).toEqual({ [parted.id]: 'accepted', [idOf('h')]: 'accepted' });
    expect(decisionOfFile(one, after)).toBe('accepted');
    expect(apply(after, decideFile(one, null, after))).toEqual({});
  });
});

describe('a line', () => {
  const marked = (parts: readonly { text: string; changed: boolean }[]) =>
    parts.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');

  it('shows the words that changed in it, unless it is another line', () => {
    const words = changedWords("const a = load('x', 1);", "const abc = load('x', 20);")!;
    expect(marked(words.before)).toBe("const [a] = load('x', [1]);");
    expect(marked(words.after)).toBe("const [abc] = load('x', [20]);");
    expect(changedWords('import a from b;', 'return 12 * 4 + total')).toBeUndefined();
    expect(changedWords('x'.repeat(5000), 'y')).toBeUndefined();
    expect(marked(changedWords('  indented', '\tindented')!.after)).toBe('[\t]indented');
  });

  it('is cut where words, colours and hidden characters begin and end, and loses none', () => {
    const text = 'let a\u202e = "b";';
    const segments = lineSegments(
      text,
      [
        { text: 'let ', changed: false },
        { text: 'a\u202e', changed: true },
        { text: ' = "b";', changed: false },
      ],
      [
        { from: 0, to: 3, look: 'keyword' },
        { from: 9, to: 12, look: 'string' },
      ],
    );
    expect(segments.map((one) => [one.text, one.isChanged, one.isHidden, one.look])).toEqual([
      ['let', false, false, 'keyword'],
      [' ', false, false, undefined],
      ['a', true, false, undefined],
      ['U+202E', true, true, undefined],
      [' = ', false, false, undefined],
      ['"b"', false, false, 'string'],
      [';', false, false, undefined],
    ]);
    expect(lineSegments('', undefined)).toEqual([]);
  });

  it('names what cannot be seen', () => {
    const shown = (text: string) =>
      textParts(text)
        .map(({ text: part }) => part)
        .join('|');
    expect(shown('plain\ttext\n')).toBe('plain\ttext\n');
    expect(shown('a\u200bb\u0007\u{e0001}')).toBe('a|U+200B|b|U+0007|U+E0001');
    expect(shown('\u00ad\u2028')).toBe('U+00AD|U+2028');
  });
});
