import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareLines } from '../../src/domain/diff/compare-lines.ts';
import { diffLines, splitLines } from '../../src/domain/diff/hunks.ts';
import { countChanges, unifiedDiff } from '../../src/orchestrator/apply/diff.ts';
import { combinedChanges } from '../../src/orchestrator/apply/record.ts';
import type { FileChange } from '../../src/orchestrator/apply/file-change.ts';
import { effort } from '../support/effort.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-diff-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const change = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  before: before === null ? null : Buffer.from(before),
  after: after === null ? null : Buffer.from(after),
  mode: 0o644,
});

/** The lines that both have, by the quadratic table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries()) {
      next.push(line === other ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    }
    row = next;
  }
  return row.at(-1)!;
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', '{'), { maxLength: 40 });
const text = fc
  .tuple(lines, fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([list, newline, ends]) => list.join(newline) + (ends ? newline : ''));

/** What git makes of the diff. */
function applyWithGit(diff: string, { path, before }: FileChange): Buffer | null {
  const project = mkdtempSync(join(folder, 'p-'));
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  if (before !== null) writeFileSync(file, before);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
    cwd: project,
    input: diff,
    env: { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: folder, HOME: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return existsSync(file) ? readFileSync(file) : null;
}

describe('the comparison of lines', () => {
  it('finds the least that has to change', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const { removed, added } = compareLines(a, b);
        const keptA = a.filter((_, i) => !removed[i]);
        const keptB = b.filter((_, i) => !added[i]);
        expect(keptA).toEqual(keptB);
        expect(keptA.length).toBe(longestCommon(a, b));
      }),
      { numRuns: effort(400) },
    );
  });

  it('copes with long texts that have lines in common but no order', () => {
    const size = 20_000;
    const a = Array.from({ length: size }, (_, i) => `line ${(i * 7919) % size}`);
    const b = Array.from({ length: size }, (_, i) => `line ${(i * 104_729 + 17) % size}`);
    const { removed, added } = compareLines(a, b);
    expect(a.filter((_, i) => !removed[i])).toEqual(b.filter((_, i) => !added[i]));
  });
});

describe('the diff of a file', () => {
  it('is what git takes to make the one file of the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const one = change('src/a file.ts', before, after);
        expect(applyWithGit(unifiedDiff(one), one)?.toString()).toBe(after);
      }),
      { numRuns: effort(20) },
    );
  });

  it.each([
    ['a new file', change('deep/new/x.ts', null, 'one\ntwo')],
    ['an empty new file', change('empty.txt', null, '')],
    ['a file that goes', change('gone.ts', 'one\ntwo\n', null)],
    ['a quoted name', change('a"b.ts', 'x\n', 'y\n')],
    ['a last line break that goes', change('x.ts', 'a\nb\n', 'a\nb')],
    ['letters from elsewhere', change('höhe.ts', 'ä\n', 'ß\n')],
  ])('serves git for %s', (_name, one) => {
    expect(applyWithGit(unifiedDiff(one), one)?.toString()).toBe(one.after?.toString());
  });

  it('says that a script may be run', () => {
    const one = { ...change('run.sh', null, '#!/bin/sh\n'), mode: 0o755 };
    expect(unifiedDiff(one)).toContain('new file mode 100755');
    const project = mkdtempSync(join(folder, 'p-'));
    execFileSync('git', ['apply', '-'], { cwd: project, input: unifiedDiff(one) });
    expect(statSync(join(project, 'run.sh')).mode & 0o100).toBe(0o100);
  });

  it.each([0o644, 0o755])('says that a file of mode %o gets the other mode', (mode) => {
    const [newMode, text] = [mode ^ 0o111, '#!/bin/sh\n'];
    for (const after of [text, `${text}exit 1\n`]) {
      const one = { ...change('run.sh', text, after), mode, newMode };
      const project = mkdtempSync(join(folder, 'p-'));
      writeFileSync(join(project, 'run.sh'), text, { mode });
      execFileSync('git', ['apply', '-'], { cwd: project, input: unifiedDiff(one) });
      expect(statSync(join(project, 'run.sh')).mode & 0o777).toBe(newMode);
      expect(readFileSync(join(project, 'run.sh'), 'utf8')).toBe(after);
    }
  });

  it('does not print what is not text', () => {
    const binary = { ...change('a.bin', null, ''), before: Buffer.from([0, 1, 255]) };
    expect(unifiedDiff(binary)).toBe(
      'diff --git a/a.bin b/a.bin\nBinary files a/a.bin and b/a.bin differ\n',
    );
    expect(countChanges(binary.before, binary.after)).toEqual({ additions: 0, deletions: 0 });
  });

  it('shows a far change in a long file with the lines around it only', () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`);
    const changed = long.with(15_000, 'other\n');
    expect(diffLines('f', long.join(''), changed.join(''))).toEqual([
      '--- a/f',
      '+++ b/f',
      '@@ -14998,7 +14998,7 @@',
      ' line 14997',
      ' line 14998',
      ' line 14999',
      '-line 15000',
      '+other',
      ' line 15001',
      ' line 15002',
      ' line 15003',
    ]);
  });

  it('counts lines', () => {
    expect(countChanges(Buffer.from('a\nb\nc\n'), Buffer.from('a\nx\nc\nd\n'))).toEqual({
      additions: 2,
      deletions: 1,
    });
    expect(countChanges(null, Buffer.from('a\nb'))).toEqual({ additions: 2, deletions: 0 });
    expect(countChanges(Buffer.from('a\n'), null)).toEqual({ additions: 0, deletions: 1 });
    expect(splitLines('')).toEqual([]);
  });
});

describe('several changes together', () => {
  it('come to the first before and the last after, and to nothing when they cancel out', () => {
    const combined = combinedChanges([
      [change('a', 'one', 'two'), change('b', null, 'new'), change('c', 'x', null)],
      [change('a', 'two', 'three'), change('b', 'new', null), change('c', null, 'y')],
    ]);
    expect(combined).toEqual([change('a', 'one', 'three'), change('c', 'x', 'y')]);
  });

  it('come to the first mode and the last, and to nothing when they cancel out', () => {
    const turned = { ...change('a', 'x', 'x'), newMode: 0o755 };
    const back = { ...change('a', 'x', 'x'), mode: 0o755, newMode: 0o644 };
    expect(combinedChanges([[turned], [back]])).toEqual([]);
    expect(combinedChanges([[turned], [{ ...change('a', 'x', 'y'), mode: 0o755 }]])).toEqual([
      { ...change('a', 'x', 'y'), newMode: 0o755 },
    ]);
    const made = change('b', null, 'x');
    expect(combinedChanges([[made], [{ ...turned, path: 'b' }]])).toEqual([
      { ...made, mode: 0o755 },
    ]);
  });
});
