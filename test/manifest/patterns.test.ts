import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { createEntryFinder } from '../../src/project/entry-files.ts';
import { patternsOverlap } from '../../src/manifest/patterns/overlap.ts';
import { filePattern, readPattern } from '../../src/manifest/patterns/pattern.ts';
import type { Pattern } from '../../src/manifest/patterns/pattern.ts';
import { verifies } from '../support/verifies.ts';
import { anyEntry, anyPath } from './any-entry.ts';
import { effort } from '../support/effort.ts';

function read(entry: string): Pattern[] {
  const result = readPattern(entry);
  if (result.kind === 'problem') throw new Error(`${entry} ${result.problem}`);
  return result.patterns;
}

function overlap(a: string, b: string): boolean {
  return read(a).some((x) => read(b).some((y) => patternsOverlap(x, y)));
}

/** What an entry names, by an independent matcher: folders are written out for it. */
function oracle(entry: string): (path: string) => boolean {
  const forms = read(entry).flatMap(({ kind, parts, segments }) => {
    const isName = (at: number) => segments?.[at]?.kind === 'literal';
    const text = parts
      .map((part, at) => (isName(at) ? part.replaceAll(/[[\]!]/g, '\\$&') : part))
      .join('/');
    const below = text === '' ? '**' : `${text}/**`;
    if (kind === 'file' || kind === 'glob') return [text];
    return kind === 'tree' ? [below] : [text, below];
  });
  // With strict slashes `src/**` does not name `src`, as here; it knows `[^a]` but not `[!a]`.
  const options = { dot: true, strictSlashes: true, noextglob: true };
  const matchers = forms.map((form) => picomatch(form.replaceAll('[!', '[^'), options));
  return (path) => matchers.some((isMatch) => isMatch(path));
}

const RUNS = { numRuns: effort(4_000) };

describe('entries of owns and reads', () => {
  verifies('manifest.b.owns');
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['src/', 'src/a.ts', true],
    ['src', 'src/deep/er/a.ts', true],
    ['src/', 'src', true],
    ['src/**', 'src/x/y.ts', true],
    ['src/*.ts', 'src/x/y.ts', false],
    ['src/**/*.ts', 'src/y.ts', true],
    ['src/*.{js,ts}', 'src/y.ts', true],
    ['src/*.{js,jsx}', 'src/y.ts', false],
    ['**/x.md', 'docs/x.md', true],
    ['**', 'anything', true],
    ['[a-c]*', '[d-f]*', false],
    ['[!a]*', 'a*', false],
    ['[!a]*', '[a-b]*', true],
    ['lib.ts/', 'lib.ts', false],
    ['./src//a.ts', 'src/a.ts', true],
    ['src/./a.ts', 'src/a.ts', true],
    ['app/(auth)/page.tsx', 'app/**', true],
    ['docs/*/', 'docs/a/b.md', true],
    ['docs/*/', 'docs/a.md', false],
    ['docs/*/', 'docs/a', true],
  ])('%s and %s can be the same file: %s', (a, b, expected) => {
    expect(overlap(a, b)).toBe(expected);
    expect(overlap(b, a)).toBe(expected);
  });

  it.each([
    ['', 'is empty'],
    ['/etc/passwd', 'is not relative to the project'],
    ['C:/x', 'is not relative to the project'],
    ['a/../../b', 'leads out of the project'],
    ['{a,..}/b', 'leads out of the project'],
    ['a\\b', 'has a backslash; use / between folders'],
    ['a\u0000b', 'has a control character'],
    ['!src/a.ts', 'starts with !; negated patterns are not supported'],
    ['src/@(a|b).ts', 'is an extended glob; write each alternative in {a,b}'],
    ['x'.repeat(257), 'is longer than 256 characters'],
    ['{a,b}'.repeat(11), 'expands to more than 1024 patterns'],
  ])('%j is refused', (entry, problem) => {
    expect(readPattern(entry)).toEqual({ kind: 'problem', problem });
  });

  it('P1 finds every overlap that a path proves', () => {
    let witnesses = 0;
    fc.assert(
      fc.property(anyEntry, anyEntry, anyPath, (a, b, path) => {
        if (!oracle(a)(path) || !oracle(b)(path)) return;
        witnesses += 1;
        expect(overlap(a, b), `${a} and ${b} both name ${path}`).toBe(true);
      }),
      { numRuns: effort(12_000) },
    );
    expect(witnesses).toBeGreaterThan(effort(80));
  });

  it('P2 is the same both ways round, and every entry meets itself', () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (a, b) => {
        expect(overlap(a, b)).toBe(overlap(b, a));
        expect(overlap(a, a)).toBe(true);
      }),
      RUNS,
    );
  });

  it('P3 says overlap only where some path of a small world proves it', () => {
    const names = ['a', 'b', 'ab', 'ba', 'aa', 'bb', 'aba', '[ab]', '[!a]'];
    const paths = [...names];
    for (const x of names) for (const y of names) paths.push(`${x}/${y}`);
    for (const x of names) for (const y of names) paths.push(`${x}/a/${y}`, `${x}/b/${y}`);
    const segment = fc.constantFrom('a', 'b', '*', 'a*', '*b', '?', '[ab]', '[!a]', '**', 'a?');
    const entry = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    // Segments that only a name outside this world could satisfy are no wildcards of ours.
    fc.assert(
      fc.property(entry, entry, (a, b) => {
        const [isA, isB] = [oracle(a), oracle(b)];
        const proved = paths.some((path) => isA(path) && isB(path));
        const claimed = overlap(a, b);
        if (proved) expect(claimed, `${a} | ${b}`).toBe(true);
        else if (claimed) expect(longPaths(isA, isB), `${a} | ${b}`).toBe(true);
      }),
      RUNS,
    );
  });

  it('takes no longer than its length allows on entries made to be slow', () => {
    const stars = `${'*a'.repeat(60)}*b`;
    const before = process.cpuUsage();
    for (let i = 0; i < 200; i++) {
      overlap(stars, 'a'.repeat(200));
      overlap(stars, `${'*a'.repeat(60)}*c`);
      overlap(`${'**/a/'.repeat(40)}b`, `${'**/a/'.repeat(40)}c`);
    }
    const { user } = process.cpuUsage(before);
    // 600 comparisons; an exponential one would not finish the first.
    expect(user / 1e6).toBeLessThan(20);
  });
});

/** Deeper paths of the same small world, looked at only when the shallow ones prove nothing. */
function longPaths(isA: (path: string) => boolean, isB: (path: string) => boolean): boolean {
  const names = ['a', 'b', 'ab', 'ba', 'c', '[ab]', '[!a]'];
  let layer = names;
  for (let depth = 1; depth < 6; depth++) {
    const found = layer.some((path) => isA(path) && isB(path));
    if (found) return true;
    layer = layer.flatMap((path) => names.map((name) => `${path}/${name}`));
  }
  return false;
}

it('takes a file with brackets in its path for just this file', () => {
  const files = ['app/[id]/page.ts', 'app/i/page.ts', 'lib/i.ts'];
  const finder = createEntryFinder(files, { has: (path) => files.includes(path) });
  const found = (entry: string) => finder.filesOf([entry]).map(({ path }) => path);
  expect(found('app/?/page.ts')).toEqual(['app/i/page.ts']);
  expect(found('app/**')).toEqual(files.slice(0, 2));
  for (const entry of ['app/[id]/page.ts', './app/[id]/page.ts', 'app/[id]/*.ts']) {
    expect(found(entry), entry).toContain('app/[id]/page.ts');
  }
  expect(found('app/[id]/page.ts')).toEqual(['app/[id]/page.ts']);
  expect(found('app/[id]/')).toContain('app/[id]/page.ts');
  // Where there is no such name, they are a set of characters.
  expect(found('lib/[id].ts')).toContain('lib/i.ts');
});

it.each([
  ['app/[slug]/page.tsx', 'app/[slug]/page.tsx', true],
  ['app/[slug]/', 'app/[slug]/page.tsx', true],
  ['app/[slug]', 'app/[slug]/deep/page.tsx', true],
  ['app/**', 'app/[slug]/page.tsx', true],
  ['app/[slug]/*.tsx', 'app/[slug]/page.tsx', true],
  ['app/[slug]/page.tsx', 'app/[id]/page.tsx', false],
  ['app/[[...all]]/page.tsx', 'app/[[...all]]/page.tsx', true],
])('two entries with brackets meet: %s and %s: %s', (a, b, expected) => {
  expect(overlap(a, b)).toBe(expected);
  expect(overlap(b, a)).toBe(expected);
  expect(read(a).some((pattern) => patternsOverlap(pattern, filePattern(b)))).toBe(expected);
});
