import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextEdit } from '../../src/contract/artifact.ts';
import { applyEdits } from '../../src/domain/artifact/apply-edits.ts';
import { inFormOf } from '../../src/domain/artifact/file-form.ts';
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

/** As in an edits block. */
const lineEdit = (oldText: string, newText: string): TextEdit => ({
  oldText,
  newText,
  wholeLines: true,
});

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
    expect(failures('    }\n  }\n}\n', edit('      }\n    }', 'x'))).toMatchObject([
      { code: 'AMBIGUOUS', lines: [1, 2] },
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

describe('indentation of the new text', () => {
  const file = 'class A {\n    f() {\n        return 1;\n    }\n}\n';
  const inA = (body: string) => `class A {\n${body}\n}\n`;

  it.each([
    ['only the new text has it', 'return 1;', '        return 2;', '        return 2;'],
    ['neither has it', 'return 1;', 'return 2;', '        return 2;'],
    [
      'a line without it is wrapped',
      'return 1;',
      'if (a) {\n    return 1;\n}',
      '        if (a) {\n            return 1;\n        }',
    ],
    [
      'only the first line was trimmed',
      'return 1;',
      'if (a) {\n            return 1;\n        }',
      '        if (a) {\n            return 1;\n        }',
    ],
    [
      'a statement is added to a trimmed line',
      'return 1;',
      'a();\n        return 1;',
      '        a();\n        return 1;',
    ],
  ])('is that of the file when %s', (_case, oldText, newText, body) => {
    const expected = inA(`    f() {\n${body}\n    }`);
    expect(edited(file, lineEdit(oldText, newText))).toBe(expected);
  });

  it('is kept when the first of several lines was trimmed', () => {
    // As a text that went through a program which trims its ends.
    const changed = lineEdit('f() {\n        return 1;', 'f() {\n        return 2;');
    expect(edited(file, changed)).toBe(file.replace('1', '2'));
  });

  it('is as written where the old text is in the file as written', () => {
    for (const newText of ['return 2;', '  return 2;', '\treturn 2;', '}', 'f();\n}\n\ng() {']) {
      const expected = inA(`    f() {\n${newText}\n    }`);
      expect(edited(file, lineEdit('        return 1;', newText))).toBe(expected);
      expect(edited(file, edit('        return 1;', newText))).toBe(expected);
      // A part of a line: what is before it stays.
      const after = inA(`    f() {\n        ${newText}\n    }`);
      expect(edited(file, edit('return 1;', newText))).toBe(after);
    }
  });

  it('is that of the file for a whole block', () => {
    const expected = inA('    f() {\n        return 2;\n    }');
    const flat = 'f() {\n    return 1;\n}';
    for (const newText of ['f() {\n    return 2;\n}', '    f() {\n        return 2;\n    }']) {
      expect(edited(file, edit(flat, newText))).toBe(expected);
      const [deep, deeper] = [flat, newText].map((text) => text.replaceAll(/^/gm, '        '));
      expect(edited(file, edit(deep!, newText.startsWith(' ') ? newText : deeper!))).toBe(expected);
    }
  });

  it('is in tabs where the file has tabs', () => {
    const tabs = 'f() {\n\tif (a) {\n\t\tb();\n\t}\n}\n';
    const change = edit('  if (a) {\n    b();', '  if (c) {\n    b();\n    d();');
    expect(edited(tabs, change)).toBe('f() {\n\tif (c) {\n\t\tb();\n\t\td();\n\t}\n}\n');
    const spaces = tabs.replaceAll('\t', '  ');
    expect(edited(spaces, edit('\tif (a) {\n\t\tb();', '\tif (c) {\n\t\tb();'))).toBe(
      spaces.replace('(a)', '(c)'),
    );
    // How many spaces a tab is worth cannot be seen here.
    expect(failures(tabs, edit('f()  {', 'f() {\n    x();'))).toMatchObject([{ code: 'NO_MATCH' }]);
    expect(failures(tabs, edit('f() { ', 'f() {\n    x();'))).toMatchObject([{ code: 'UNCLEAR' }]);
  });

  it('is not guessed', () => {
    for (const newText of ['        return 1;', '  return 2;']) {
      expect(failures(file, lineEdit('return 1;', newText))).toMatchObject([{ code: 'UNCLEAR' }]);
    }
    expect(failures(file, edit('        return 1; ', '}'))).toMatchObject([{ code: 'UNCLEAR' }]);
    // A text that was trimmed at its ends would not begin with an empty line.
    const spaced = 'a {\n\n  // b\n}\n';
    expect(failures(spaced, lineEdit('\n// b', '\n}\n  // b'))).toMatchObject([
      { code: 'UNCLEAR' },
    ]);
  });

  it('is not found out by what other edits leave', () => {
    const edits = [edit('a {\n  b', 'a {'), edit('} ', 'c {\n\t}')];
    expect(failures('a {\n  b\n}\n', ...edits)).toMatchObject([{ code: 'UNCLEAR', editIndex: 1 }]);
  });

  it('changes when nothing else does', () => {
    expect(edited('  a\n  b\n', edit('  a\n  b', 'a\nb'))).toBe('a\nb\n');
  });
});

it('lines that go take their indentation with them', () => {
  expect(edited('a {\n  b();\n  c();\n}\n', lineEdit('b();\n', ''))).toBe('a {\n  c();\n}\n');
});

describe('edits that have to do with each other', () => {
  it('count once when they are the same', () => {
    expect(edited('a\nb\n', edit('a', 'x'), edit('a', 'x'))).toBe('x\nb\n');
    expect(edited('a\nb\nc\n', edit('a\nb', 'a\nx'), edit('b\nc', 'x\nc'))).toBe('a\nx\nc\n');
  });

  it('may share lines that neither changes', () => {
    const edits = [edit('a\nb\nc', 'A\nb\nc'), edit('b\nc\nd', 'b\nc\nD')];
    expect(edited('a\nb\nc\nd\n', ...edits)).toBe('A\nb\nc\nD\n');
  });

  it('put their lines in where they were meant, or nowhere', () => {
    const [after, before] = [edit('a', 'a\nx'), edit('b', 'y\nb')];
    expect(edited('a\nb\n', after, before)).toBe('a\nx\ny\nb\n');
    expect(edited('a\nb\n', before, after)).toBe('a\nx\ny\nb\n');
    const both = [edit('a\nb', 'a\nx\nb'), edit('a\nb', 'a\ny\nb')];
    expect(failures('a\nb\n', ...both)).toMatchObject([{ code: 'OVERLAP' }]);
  });

  it('may build on each other', () => {
    const edits = [edit('one', 'two'), edit('two', 'three'), edit('four', 'five')];
    expect(edited('one four', ...edits)).toBe('three five');
    expect(failures('one four', ...edits, edit('six', ''))).toMatchObject([{ editIndex: 3 }]);
  });
});

describe('what an answer cannot show', () => {
  it('is kept: line endings, each where it is', () => {
    expect(edited('a\nb\n', edit('a', 'x\r\ny'))).toBe('x\ny\nb\n');
    expect(edited('a\r\nb\nc\r\nd\n', edit('a\nb\nc', 'a\nB\nc'))).toBe('a\r\nB\nc\r\nd\n');
    expect(edited('a\r\nb\nc\n', edit('a', 'x\ny'))).toBe('x\r\ny\r\nb\nc\n');
  });

  it('is kept: blanks at the end of lines that stay', () => {
    expect(edited('a  \nb\nc\t\n', edit('a\nb\nc', 'a\nx\nc'))).toBe('a  \nx\nc\t\n');
  });

  it('is kept: plain quotes', () => {
    const change = edit('say(“a”, 1)', 'say(“b”, ‘c’)');
    expect(edited('say("a", 1)\n', change)).toBe(`say("b", 'c')\n`);
    expect(failures('a\n', edit('a ', 'say(“b”)'))).toMatchObject([{ code: 'UNCLEAR' }]);
    for (const newText of ['say(“b”)', 'It’s “b”']) {
      expect(edited('a\n', edit('a', newText))).toBe(`${newText}\n`);
    }
  });

  it.each([
    ['a\nb\n', 'x\r\nb\r\n', 'x\nb\n'],
    ['a\r\nb\r\n', 'x\nb\n', 'x\r\nb\r\n'],
    ['a\r\nb\nc\n', 'a\nx\nb\nc\n', 'a\r\nx\r\nb\nc\n'],
    ['a\nb', 'x\n', 'x'],
    ['a\nb', 'x\n\n', 'x\n\n'],
    ['a\n', 'x\n\n', 'x\n\n'],
    ['a\n', 'x', 'x'],
    ['', 'x\n', 'x\n'],
    ['\ufeffa\n', 'x\n', '\ufeffx\n'],
    ['\ufeffa\n', '\ufeffx\n', '\ufeffx\n'],
    ['a\n', '\ufeffx\n', 'x\n'],
    ['a\rb\n', 'x\ry\n', 'x\ry\n'],
  ])('is kept in a whole new text: %j with %j is %j', (before, content, after) => {
    expect(inFormOf(before, content)).toBe(after);
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
        // Indented as the old text is: other indentation is judged by what it is next to.
        const put = /^\s*/.exec(oldText)![0] + newText.trim();
        if (put === '') return;
        const expected = text.slice(0, start) + put + text.slice(start + oldText.length);
        expect(edited(text, edit(oldText, put))).toBe(expected);
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
