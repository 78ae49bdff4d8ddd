// Colours of syntax: by line, whatever a text looks like.
import { expect, it } from 'vitest';
import { coloursOf } from '../../../src/domain/highlight/colours.ts';
import { languageOf } from '../../../src/domain/highlight/endings.ts';
import { loadParser } from '../../../src/domain/highlight/parsers.ts';

/** Each piece as its line and its text. */
async function pieces(path: string, text: string): Promise<string[]> {
  const colours = coloursOf(await loadParser(languageOf(path)!), text);
  const lines = text.split('\n');
  return Array.from({ length: colours.length / 4 }, (_, at) => {
    const [line, from, to, look] = colours.subarray(4 * at, 4 * at + 4);
    return `${line}:${lines[line! - 1]!.slice(from, to)}=${look}`;
  });
}

it('knows the words of a language, also over several lines', async () => {
  const text = '// first\nconst a: Type = 12;\n/* one\n\ntwo */ return `x\ny`;\n';
  expect(await pieces('a.ts', text)).toEqual([
    '1:// first=2',
    '2:const=0',
    '2:Type=3',
    '2:12=3',
    '3:/* one=2',
    '5:two */=2',
    '5:return=0',
    '5:`x=1',
    '6:y`=1',
  ]);
});

it.each([
  ['a.py', 'def f(): return "x"\n'],
  ['a.rs', 'fn main() { let x = 1; }\n'],
  ['a.go', 'package main // x\n'],
  ['A.java', 'class A { int x = 1; }\n'],
  ['a.cpp', 'int main() { return 0; }\n'],
  ['a.json', '{"a": [1, true]}\n'],
  ['a.yaml', 'a: "b" # c\n'],
  ['a.md', '# Title\n'],
  ['a.css', 'a { color: #fff }\n'],
  ['a.html', '<p class="x">y</p>\n'],
  ['a.xml', '<p class="x">y</p>\n'],
  ['a.tsx', 'const a = <p>1</p>;\n'],
  ['a.js', 'let a = 1;\n'],
])('has colours for %s', async (path, text) => {
  expect((await pieces(path, text)).length).toBeGreaterThan(0);
});

it('leaves in one colour what it does not know, or what programs wrote', async () => {
  expect(languageOf('Makefile')).toBeUndefined();
  expect(languageOf('a.constructor')).toBeUndefined();
  expect(await pieces('a.js', `${'x+'.repeat(4000)}1\n`)).toEqual([]);
  expect(await pieces('a.js', 'const a = 1;\n'.repeat(50_000))).toEqual([]);
  expect(await pieces('a.ts', '')).toEqual([]);
  expect((await pieces('a.ts', '}}}((( const \u0000 """ `')).length).toBeGreaterThan(0);
});
