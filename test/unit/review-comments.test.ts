// Comments on a change: when they are about other lines by now, and which suggestions can be made as they are.
import { describe, expect, it } from 'vitest';
import { isOutdated, linesText, placeSuggestions } from '../../src/domain/review/comment.ts';
import type { ReviewComment } from '../../src/domain/review/comment.ts';
import { textWith } from '../../src/domain/review/hunks.ts';

const AFTER = 'one\ntwo\nthree\nfour\nfive\n';

const on = (line: number, endLine: number, more: Partial<ReviewComment> = {}): ReviewComment => ({
  path: 'a.txt',
  side: 'new',
  line,
  endLine,
  text: '',
  quoted: AFTER.split('\n')
    .slice(line - 1, endLine)
    .map((text) => `${text}\n`)
    .join(''),
  ...more,
});

/** What becomes of the text, and which of the suggestions fit. */
function suggest(
  comments: readonly ReviewComment[],
  texts: { after?: string; left?: string } = {},
) {
  const { after = AFTER } = texts;
  const { left = after } = texts;
  const all = new Map(comments.map((comment, at) => [`c${at}`, comment]));
  const { changes, placed } = placeSuggestions({ after, left }, all);
  return { text: textWith(after, changes), placed };
}

describe('a suggestion', () => {
  it('replaces its lines, adds some, or takes them away', () => {
    expect(suggest([on(2, 3, { suggestion: 'TWO' })]).text).toBe('one\nTWO\nfour\nfive\n');
    expect(suggest([on(2, 2, { suggestion: 'a\nb\n' })]).text).toContain('one\na\nb\nthree');
    expect(suggest([on(1, 1, { suggestion: '' })]).text).toBe('two\nthree\nfour\nfive\n');
    expect(suggest([on(5, 5, { suggestion: '\n' })]).text).toBe('one\ntwo\nthree\nfour\n\n');
  });

  it('keeps the line endings of the file, and that its last line has none', () => {
    const windows = AFTER.replaceAll('\n', '\r\n');
    const one = on(2, 2, { suggestion: 'a\nb' });
    expect(suggest([one], { after: windows }).text).toBe(
      'one\r\na\r\nb\r\nthree\r\nfour\r\nfive\r\n',
    );
    const last = on(5, 5, { suggestion: 'end' });
    expect(suggest([last], { after: AFTER.trimEnd() }).text).toMatch(/\nend$/);
  });

  it('is not made where the lines are not those that were seen', () => {
    const shifted = `zero\n${AFTER}`;
    expect(suggest([on(2, 2, { suggestion: 'x' })], { after: shifted })).toEqual({
      text: shifted,
      placed: [],
    });
    expect(suggest([on(5, 6, { suggestion: 'x' })]).placed).toEqual([]);
    expect(suggest([on(2, 2, { suggestion: 'x', side: 'old' })]).placed).toEqual([]);
    expect(suggest([on(0, 0, { suggestion: 'x' })]).placed).toEqual([]);
  });

  it('is not made where its lines go, and is made beside them', () => {
    const left = 'one\nthree\nfour\nfive\n';
    const comments = [on(2, 2, { suggestion: 'x' }), on(3, 3, { suggestion: 'THREE' })];
    expect(suggest(comments, { left })).toEqual({
      text: 'one\nTHREE\nfour\nfive\n',
      placed: ['c1'],
    });
    const more = 'one\ntwo\nnew\nthree\nfour\nfive\n';
    expect(suggest([on(2, 3, { suggestion: 'x' })], { left: more }).placed).toEqual([]);
    expect(suggest([on(2, 2, { suggestion: 'TWO' })], { left: more }).text).toContain(
      'TWO\nnew\nthree',
    );
  });

  it('is not made where another one is for the same lines, unless both say the same', () => {
    const two = on(2, 3, { suggestion: 'x' });
    expect(suggest([two, on(3, 4, { suggestion: 'y' })]).placed).toEqual([]);
    expect(suggest([two, { ...two }])).toEqual({
      text: 'one\nx\nfour\nfive\n',
      placed: ['c0', 'c1'],
    });
    expect(suggest([two, on(4, 4, { suggestion: 'y' })]).placed).toEqual(['c0', 'c1']);
  });
});

describe('a comment', () => {
  const file = { hunks: new Set(['h1']), before: 'old\n', after: AFTER };

  it('is outdated when its hunk is another one, or its file is not there any more', () => {
    expect(isOutdated(on(2, 2, { hunk: 'h1' }), file)).toBe(false);
    expect(isOutdated(on(2, 2, { hunk: 'h2' }), file)).toBe(true);
    expect(isOutdated(on(2, 2, { hunk: 'h1' }), undefined)).toBe(true);
  });

  it('without a hunk is outdated when its lines are others', () => {
    expect(isOutdated(on(2, 2), file)).toBe(false);
    expect(isOutdated(on(2, 2, { quoted: 'other\n' }), file)).toBe(true);
    expect(isOutdated(on(1, 1, { side: 'old', quoted: 'old\n' }), file)).toBe(false);
    expect(isOutdated(on(0, 0, { quoted: '' }), file)).toBe(false);
  });

  it('says where it is', () => {
    expect([on(2, 2), on(2, 4), on(0, 0), on(1, 1, { side: 'old' })].map(linesText)).toEqual([
      'line 2',
      'lines 2-4',
      'the file as a whole',
      'line 1 before the change',
    ]);
  });
});
