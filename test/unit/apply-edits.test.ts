import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextEdit } from '../../src/contract/artifact.ts';
import { applyEdits } from '../../src/domain/artifact/apply-edits.ts';
import { placesOf, searchText } from '../../src/domain/artifact/find-sequence.ts';
import { expectSimilarCost } from '../support/cost.ts';
import { verifies } from '../support/verifies.ts';
import { effort } from '../support/effort.ts';

function edited(original: string, ...edits: TextEdit[]): string {
  const result = applyEdits(original, edits);
  if (result.kind === 'failed') throw new Error(JSON.stringify(result.failures));
  return result.text;
}

function failures(original: string, ...edits: TextEdit[]) {
  const result = applyEdits(original, edits);
  return result.kind === 'failed' ? result.failures : [];
}

const edit = (oldText: string, newText: string, replaceAll?: boolean): TextEdit =>
  replaceAll === undefined ? { oldText, newText } : { oldText, newText, replaceAll };

describe('edits of a file', () => {
  it('replaces the one place where the old text stands', () => {
    expect(edited('a b c', edit('b', 'x'))).toBe('a x c');
    expect(edited('a\nb\nc\n', edit('a\nb\n', 'x\n'))).toBe('x\nc\n');
  });

  it('replaces every place when asked to', () => {
    expect(edited('b a b', edit('b', 'x', true))).toBe('x a x');
  });

  it('forgives white space at the end of lines', () => {
    verifies('artifact.match.order');
    const both = 'a();\n  a();\n';
    // The exact place wins over one that only looks alike.
    expect(edited(`a(); \n${both}`, edit('\n  a();\n', '\n  b();\n'))).toBe(
      'a(); \na();\n  b();\n',
    );
    expect(edited('if (a) {  \n  b();\t\n}\n', edit('if (a) {\n  b();\n}', 'b();'))).toBe('b();\n');
  });

  it('keeps the line endings of the file', () => {
    expect(edited('a\r\nb\r\nc\r\n', edit('a\nb', 'x\ny'))).toBe('x\r\ny\r\nc\r\n');
    expect(edited('a\r\nb\r\n', edit('b', 'x\ny'))).toBe('a\r\nx\r\ny\r\n');
  });

  it('keeps a last line without an ending as it is', () => {
    expect(edited('a\nb  ', edit('b\n', 'x\n'))).toBe('a\nx');
  });

  it('forgives typographic punctuation', () => {
    expect(edited('say(‘hi’ – now)\n', edit("say('hi' - now)", 'say()'))).toBe('say()\n');
  });

  it('moves the new lines when the whole block is indented differently', () => {
    const file = 'class A {\n    f() {\n      return 1;\n    }\n}\n';
    const change = edit('f() {\n  return 1;\n}', 'f() {\n  return 2;\n\n}');
    expect(edited(file, change)).toBe('class A {\n    f() {\n      return 2;\n\n    }\n}\n');
    expect(edited('f();\ng();\n', edit('    f();\n    g();', '    h();'))).toBe('h();\n');
  });

  it('does not take a block for the same whose lines moved differently', () => {
    expect(failures('  a\n    b\n', edit('a\nb', 'x'))).toMatchObject([{ code: 'NO_MATCH' }]);
  });

  it('names the lines when there are several places', () => {
    expect(failures('x\ny\nx\n', edit('x', 'z'))).toEqual([
      { code: 'AMBIGUOUS', editIndex: 0, lines: [1, 3] },
    ]);
    expect(failures('aaa', edit('aa', 'z'))).toMatchObject([{ code: 'AMBIGUOUS' }]);
    expect(failures('x \ny\nx \n', edit('x\n', 'z\n'))).toEqual([
      { code: 'AMBIGUOUS', editIndex: 0, lines: [1, 3] },
    ]);
  });

  it('shows the lines that look most like a text that is not there', () => {
    const file = ['one', 'two', 'const total = sum(a, b);', 'return total;', 'five', 'six'].join(
      '\n',
    );
    const [failure] = failures(file, edit('const total = add(a, b);\nreturn total;', ''));
    expect(failure).toEqual({
      code: 'NO_MATCH',
      editIndex: 0,
      nearest: '1: one\n2: two\n3: const total = sum(a, b);\n4: return total;\n5: five\n6: six',
    });
  });

  it('refuses two edits of the same text, and tells every failure at once', () => {
    const edits = [edit('b c', 'x'), edit('c d', 'y'), edit('nowhere', 'z')];
    expect(failures('a b c d', ...edits)).toEqual([
      { code: 'NO_MATCH', editIndex: 2, nearest: '' },
      { code: 'OVERLAP', editIndex: 1, otherIndex: 0 },
    ]);
  });

  it('does not look for blank lines alone', () => {
    expect(failures('abc', edit('', 'x'))).toMatchObject([{ code: 'NO_MATCH' }]);
    expect(failures('a\n\n\nb\n', edit('  \n  \n', 'x'))).toMatchObject([{ code: 'NO_MATCH' }]);
  });
});

describe('edits that are hard to place', () => {
  const lines = (count: number, text: string) => `${text}\n`.repeat(count);
  const file = lines(75_000, 'a');
  const usual = Array.from({ length: 15_000 }, (_, i) => `line ${i}`).join('\n');

  it.each([
    ['lines that are all alike but one in the middle', `${lines(7500, 'a')}b\n${lines(7500, 'a')}`],
    ['lines that are all alike but the last', `${lines(15_000, 'a')}b`],
    ['lines that differ in their indentation only', `${lines(15_000, ' a')}   a`],
    ['one long line', `${'a'.repeat(15_000)}b${'a'.repeat(15_000)}`],
  ])('cost no more than others: %s', (_what, oldText) => {
    const hostile = oldText.includes('\n') ? file : 'a'.repeat(150_000);
    expectSimilarCost(
      () => applyEdits(hostile, [edit(oldText, 'x')]),
      () => applyEdits(usual, [edit(usual.slice(50_000, 80_000), 'x')]),
    );
  });

  it('do not make more of a file than anybody can use', () => {
    const hostile = 'a\n'.repeat(100_000);
    expect(failures(hostile, edit('a', 'x'.repeat(100_000), true))).toEqual([
      { code: 'TOO_LARGE', editIndex: 0 },
    ]);
    expect(failures(hostile, edit(' a', 'x'.repeat(100_000), true))).toEqual([
      { code: 'TOO_LARGE', editIndex: 0 },
    ]);
  });
});

const line = fc.constantFrom('a', 'b', '  a', '  b {', '}', '', 'c = 1;', 'return x;');
const anyText = fc
  .array(line, { maxLength: 20 })
  .map((lines) => lines.map((l) => `${l}\n`).join(''));

describe('any edits of any file', () => {
  const RUNS = { numRuns: effort(2_000) };

  it('E1 an edit made from a unique piece of the file gives the text that was meant', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), fc.string(), (text, from, length, newText) => {
        const start = text.length === 0 ? 0 : from % text.length;
        const oldText = text.slice(start, start + 1 + (length % 30));
        if (oldText === '' || text.indexOf(oldText) !== text.lastIndexOf(oldText)) return;
        const expected = text.slice(0, start) + newText + text.slice(start + oldText.length);
        expect(edited(text, edit(oldText, newText))).toBe(expected);
      }),
      RUNS,
    );
  });

  const anyEdit = fc.record({ oldText: anyText.filter((t) => t !== ''), newText: anyText });

  it('E2 the order of edits does not matter', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyEdit, { maxLength: 4 }), (text, edits) => {
        const forward = applyEdits(text, edits);
        const backward = applyEdits(text, edits.toReversed());
        expect(backward.kind).toBe(forward.kind);
        if (forward.kind === 'applied' && backward.kind === 'applied') {
          expect(backward.text).toBe(forward.text);
        }
      }),
      RUNS,
    );
  });

  it('E4 the search finds what the search of the language finds', () => {
    const letters = fc.array(fc.constantFrom('a', 'b'), { maxLength: 300 }).map((l) => l.join(''));
    fc.assert(
      fc.property(letters, fc.nat(), fc.integer({ min: 1, max: 60 }), (text, from, length) => {
        const needle = text.slice(from % (text.length + 1)).slice(0, length) || 'ab';
        const expected: number[] = [];
        for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
          expected.push(at);
        expect(placesOf(searchText(text, needle), needle.length)).toEqual(expected);
      }),
      RUNS,
    );
  });

  it('E3 an edit is made in exactly one place or fails', () => {
    fc.assert(
      fc.property(anyText, anyEdit, (text, { oldText }) => {
        const result = applyEdits(text, [{ oldText, newText: '\u0001' }]);
        if (result.kind === 'applied') expect(result.text.split('\u0001')).toHaveLength(2);
        else expect(result.failures).toHaveLength(1);
        const count = text.split(oldText).length - 1;
        if (count > 1) expect(result.kind).toBe('failed');
      }),
      RUNS,
    );
  });
});
