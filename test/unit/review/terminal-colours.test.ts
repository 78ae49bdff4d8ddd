// Colours of syntax in a terminal: between the characters, and never instead of them.
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { coloursOf } from '../../../src/domain/highlight/colours.ts';
import { languageOf } from '../../../src/domain/highlight/endings.ts';
import { loadParser } from '../../../src/domain/highlight/parsers.ts';
import { harmless } from '../../../src/cli/terminal/diff-colours.ts';
import { colourLine, depthOf } from '../../../src/cli/terminal/syntax-colours.ts';
import type { Piece } from '../../../src/cli/terminal/syntax-colours.ts';

async function piecesOf(path: string, text: string): Promise<Piece[]> {
  const colours = coloursOf(await loadParser(languageOf(path)!), text);
  return Array.from({ length: colours.length / 4 }, (_, at) => {
    const [, from, to, look] = colours.subarray(4 * at, 4 * at + 4);
    return { from: from!, to: to!, look: look! };
  });
}

it.each([
  ['a.ts', 'const a = `x`; // \u001b[2J\u001b]0;title\u0007'],
  ['a.ts', '"\u202e\u{e0041}\u{1f600}" + /* \u009b31m */ 12'],
  ['a.py', "def f(): return '\u001b[31m' # \u{1f600}\r"],
  ['a.md', '# \u001b[38;5;1mTitle\u001b[0m'],
])('are the same text without them, %s', async (path, text) => {
  const pieces = await piecesOf(path, text);
  expect(pieces.length).toBeGreaterThan(0);
  for (const sign of [' ', '+', '-']) {
    for (const depth of ['few', 'many'] as const) {
      const shown = colourLine(sign + text, pieces, depth);
      expect(shown).not.toBe(sign + harmless(text));
      expect(stripVTControlCharacters(shown)).toBe(sign + harmless(text));
      // Ours alone, and each is taken back before the end.
      const codes = shown.split('\u001b').slice(1);
      expect(codes.filter((code) => !/^\[[\d;]+m/.test(code))).toEqual([]);
      expect(codes.at(-1)).toMatch(/^\[(?:39|22|23|39;23|22;39|39;22)m/);
    }
  }
});

it('leave pieces alone that do not fit the line, or would divide a character', () => {
  const line = '+\u{1f600}ab';
  const at = (from: number, to: number) => [{ from, to, look: 0 }];
  for (const pieces of [at(0, 1), at(1, 3), at(2, 9), [...at(2, 4), ...at(3, 4)]]) {
    const shown = colourLine(line, pieces, 'many');
    expect(stripVTControlCharacters(shown)).toBe(line);
    expect(shown).toContain('\u{1f600}');
  }
});

it('are those that the terminal has', () => {
  expect(depthOf({})).toBe('few');
  expect(depthOf({ TERM: 'xterm', COLORTERM: '' })).toBe('few');
  expect(depthOf({ TERM: 'screen-256color' })).toBe('many');
  expect(depthOf({ TERM: 'xterm', COLORTERM: 'truecolor' })).toBe('many');
  expect(colourLine('+const', [{ from: 0, to: 5, look: 0 }], 'few')).toContain('\u001b[35mconst');
  expect(colourLine('+const', [{ from: 0, to: 5, look: 0 }], 'many')).toContain('38;5;134mconst');
});
