// Many changes of real files, each written in many ways: what is applied is exactly what was meant, or
// nothing is; and nothing ever comes into a file that is not in the answer.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Operation } from '../../src/contract/artifact.ts';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import { effort, SEED } from '../support/effort.ts';
import { fromRoot } from '../pins/tree.ts';
import { applyAnswer } from './apply-answer.ts';
import { BLOCKS } from './corpus-blocks.ts';
import { LOOSE } from './corpus-loose.ts';
import { UNCLEAR } from './corpus-unclear.ts';
import { DISTURBANCES, type Change } from './disturbances.ts';

/** Mulberry32: the same changes for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

function sources(): { path: string; text: string }[] {
  // Packages, because their versions are fixed: the same changes as long as those are.
  const folders = ['zod/src/v4/core', 'luxon/src', 'luxon/src/impl', 'pg-protocol/src'].map(
    (name) => `node_modules/${name}`,
  );
  const all = folders.flatMap((folder) => {
    const names = readdirSync(fromRoot(folder)).filter((name) => /\.[jt]s$/.test(name));
    return names.map((name) => ({
      path: `src/${name}`,
      text: readFileSync(fromRoot(join(folder, name)), 'utf8'),
    }));
  });
  // How a file is indented has to be seen in it.
  return all.filter(({ text }) => text.includes('\n  '));
}

type Random = ReturnType<typeof createRandom>;

const NEW_LINES = [
  "log('here');",
  'const extra = "a";',
  'if (isReady) {',
  '}',
  '// Why it is so.',
  '',
];

/** Some lines are changed, removed or put in, each with a few lines around them. */
function makeChange(
  text: string,
  random: Random,
): { after: string; pairs: Change['pairs'] } | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const pairs: Change['pairs'] = [];
  const after: string[] = [];
  let at = 0;
  for (let count = 1 + random(2); count > 0; count--) {
    const from = at + random(Math.max(1, Math.floor((lines.length - at) / 2)));
    const size = 1 + random(3);
    const [before, behind] = [Math.min(from - at, random(4)), random(4)];
    const end = Math.min(lines.length, from + size);
    const last = Math.min(lines.length, end + behind);
    if (end > lines.length || from >= lines.length) break;
    const old = lines.slice(from, end);
    const indent = /^ */.exec(old[0]!)![0];
    const isBlock = old.every((line) => line === '' || line.startsWith(indent)) && old[0] !== '';
    const how = random(isBlock ? 4 : 3);
    const now =
      how === 0
        ? []
        : how === 1
          ? [...old, (indent + NEW_LINES[random(NEW_LINES.length)]!).trimEnd()]
          : how === 2
            ? old.map((line) => line.replace(/\w+/, (word) => `${word}2`))
            : [
                `${indent}if (ready) {`,
                ...old.map((line) => (line === '' ? '' : `  ${line}`)),
                `${indent}}`,
              ];
    if (now.join('\n') === old.join('\n')) break;
    const [head, tail] = [lines.slice(from - before, from), lines.slice(end, last)];
    // One empty line that is left looks like nothing that is left.
    if (head.length + now.length + tail.length === 1 && [...head, ...now, ...tail][0] === '') break;
    const oldText = [...head, ...old, ...tail].join('\n');
    pairs.push({ oldText, newText: [...head, ...now, ...tail].join('\n') });
    after.push(...lines.slice(at, from), ...now, ...tail);
    at = last;
  }
  after.push(...lines.slice(at));
  // The only place, also for a reader that does not look at the indentation.
  const flat = (lines: string) => lines.replaceAll(/^ +/gm, '');
  const [whole, wanted] = [flat(text), pairs.map(({ oldText }) => flat(oldText))];
  // Two places may overlap.
  const isOne = wanted.every(
    (old) => old.trim() !== '' && whole.indexOf(old) === whole.lastIndexOf(old),
  );
  return pairs.length > 0 && isOne
    ? { pairs, after: after.map((line) => `${line}\n`).join('') }
    : undefined;
}

/** Whatever an operation brings into a file, and its name, is in the answer. */
function foreignIn(operations: readonly Operation[], answer: string): string[] {
  const known = new Set(
    answer.replaceAll('\\n', '\n').replaceAll('\\"', '"').split('\n').map(bare),
  );
  const isKnown = (line: string) =>
    line.trim() === '' || known.has(bare(line)) || answer.includes(line.trim());
  return operations.flatMap((operation) => {
    const texts =
      operation.type === 'delete'
        ? []
        : 'content' in operation
          ? [operation.content]
          : operation.edits.map(({ newText }) => newText);
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => !isKnown(line));
    return answer.includes(operation.path) ? lines : [operation.path, ...lines];
  });
}

/** Without the sign of a diff, and the blanks around it. */
const bare = (line: string): string => line.replace(/^[+\- ]/, '').trim();

it('nothing is read that is not in the answer', () => {
  const random = createRandom(SEED + 1);
  const forms = [...BLOCKS, ...LOOSE, ...UNCLEAR].map(({ answer }) =>
    answer.replaceAll('\r\n', '\n'),
  );
  for (let run = 0; run < effort(800); run++) {
    // Pieces of answers in any order: most of it makes no sense, and some of it does.
    const pieces = Array.from({ length: 1 + random(4) }, () => {
      const lines = forms[random(forms.length)]!.split('\n');
      const from = random(3) === 0 ? random(lines.length) : 0;
      return lines
        .slice(from, random(3) === 0 ? from + 1 + random(lines.length) : undefined)
        .join('\n');
    });
    const answer = pieces.join('\n');
    const parsed = parseArtifact(answer, 'stream');
    const read =
      parsed.kind === 'found'
        ? parsed.artifact.operations
        : parsed.kind === 'invalid'
          ? parsed.readable
          : [];
    expect(foreignIn(read, answer), answer).toEqual([]);
  }
});

/** What is in the file exactly as the answer has it is replaced as the answer has it: nothing is guessed there. */
function expectedAfter(text: string, answer: string, pairs: Change['pairs']): string {
  const parsed = parseArtifact(answer, 'stream');
  const [operation] = parsed.kind === 'found' ? parsed.artifact.operations : [];
  const edits = operation !== undefined && 'edits' in operation ? operation.edits : [];
  let after = `\n${text}`;
  for (const [i, pair] of pairs.entries()) {
    const read = edits[i] ?? pair;
    const isExact =
      `\n${text}`.split(`\n${read.oldText}`).length === 2 &&
      text.split(read.oldText).length === 2 &&
      read.oldText.trimEnd() === pair.oldText.trimEnd();
    const newText = isExact ? read.newText : pair.newText;
    const lines = newText === '' && pair.newText === '' ? '' : `${newText}\n`;
    after = after.replace(`\n${pair.oldText}\n`, () => `\n${lines}`);
  }
  return after.slice(1);
}

it('a disturbed answer makes the change that was meant, or none', () => {
  const random = createRandom(SEED);
  const files = sources();
  const counts = new Map(DISTURBANCES.map(({ name }) => [name, { right: 0, refused: 0 }]));
  const wrong: string[] = [];
  const wanted = effort(100);
  for (let made = 0, tries = 0; made < wanted && tries < wanted * 50; tries++) {
    const { path, text } = files[random(files.length)]!;
    const change = makeChange(text, random);
    if (change === undefined || change.after === text) continue;
    made += 1;
    for (const { name, render } of DISTURBANCES) {
      const answer = render({ path, pairs: change.pairs });
      const outcome = applyAnswer(answer, { [path]: text });
      const count = counts.get(name)!;
      if (outcome.kind !== 'applied') count.refused += 1;
      else {
        const expected = expectedAfter(text, answer, change.pairs);
        if (outcome.files[path] === expected) count.right += 1;
        else {
          const shown = difference(expected, outcome.files[path]!);
          wrong.push(`${name}:\n${answer}\n--- became\n${shown}`);
        }
      }
    }
  }
  const all = [...counts.values()].reduce((a, b) => ({
    right: a.right + b.right,
    refused: a.refused + b.refused,
  }));
  const refused = [...counts]
    .filter(([, { refused: n }]) => n > 0)
    .map(([name, c]) => `${name} ${c.refused}`);
  console.info(
    `changes ${wanted}, right ${all.right}, refused ${all.refused} (${refused.join(', ')}), wrong ${wrong.length}`,
  );
  expect(wrong.slice(0, 3).join('\n\n')).toBe('');
  expect(counts.get('as asked')!.refused).toBe(0);
});

function difference(a: string, b: string): string {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `wanted ${JSON.stringify(left.slice(at, at + 4))}\ngot    ${JSON.stringify(right.slice(at, at + 4))}`;
}
