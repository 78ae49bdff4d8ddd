// No pattern of ours takes longer than in proportion to its text: outside text chooses the worst one.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { Visitor, parseSync } from 'oxc-parser';
import type recheck from 'recheck';
import { expect, it } from 'vitest';
import { sha256 } from '../../src/platform/sha256.ts';
import { effort } from '../support/effort.ts';
import { BY_HAND } from './regexes-by-hand.ts';
import { filesUnder, fromRoot } from './tree.ts';

// The build that is JavaScript alone: the others need a program for this very machine, or Java.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof recheck;
/** Only ends a pattern that would never be judged; the slowest takes two seconds of a core. */
const TIMEOUT_MS = 200_000;

interface Found {
  place: string;
  pattern: string;
  flags: string;
}

function regexesOf(file: string): Found[] {
  const text = readFileSync(fromRoot(file), 'utf8');
  const found: Found[] = [];
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const line = text.slice(0, node.start).split('\n').length;
      found.push({ place: `${file}:${line}`, ...node.regex });
    },
  }).visit(parseSync(file, text).program);
  return found;
}

/** Without a loop, or with one that starts in one place, a pattern is read once: nothing to check. */
function isPlain({ pattern, flags }: Found): boolean {
  const bare = pattern.replaceAll(/\\.|\[(?:[^\]\\]|\\.)*\]/g, 'x');
  const loops = bare.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  const isAnchored = bare.startsWith('^') && !bare.includes('|') && !flags.includes('m');
  return loops === 0 || (loops === 1 && isAnchored);
}

const all = filesUnder('src', '.ts').flatMap(regexesOf);

// To judge one takes up to seconds, and the verdict is always the same: those that were found safe are
// remembered by their hash. UPDATE_REGEXES=1 adds what is new and drops what is gone; more effort
// judges all of them again.
const KNOWN_FILE = fromRoot('test/pins/regexes-judged.txt');
const known = new Set(readFileSync(KNOWN_FILE, 'utf8').trim().split('\n'));
const nameOf = ({ pattern, flags }: Omit<Found, 'place'>) => sha256(`/${pattern}/${flags}`);
const current = new Set(all.map(nameOf));
const judged: string[] = [];
const isKnown = (found: Omit<Found, 'place'>) => effort(1) === 1 && known.has(nameOf(found));
const byHand = new Set([...BY_HAND.values()].flat());

it('finds the patterns of the tree', () => {
  expect(all.length).toBeGreaterThan(250);
});

it('no pattern can be made slow by the text that it reads', () => {
  const slow = all
    .filter((found) => !isPlain(found) && !byHand.has(found.pattern))
    .flatMap(({ place, pattern, flags }) => {
      if (isKnown({ pattern, flags })) return [];
      const checked = checkSync(pattern, flags, { checker: 'automaton', timeout: TIMEOUT_MS });
      if (checked.status === 'safe') {
        judged.push(nameOf({ pattern, flags }));
        return [];
      }
      // One that cannot be judged is to be made simpler, or judged by hand.
      const why = checked.status === 'vulnerable' ? checked.complexity.summary : 'cannot be judged';
      return [`${place} /${pattern}/ ${why}`];
    });
  expect(slow).toEqual([]);
  if (process.env['UPDATE_REGEXES']) {
    const names = [...known, ...judged].filter((name) => current.has(name));
    writeFileSync(KNOWN_FILE, `${[...new Set(names)].sort().join('\n')}\n`);
  }
});

it('those judged by hand are still there', () => {
  const present = new Set(all.map(({ pattern }) => pattern));
  expect([...byHand].filter((pattern) => !present.has(pattern))).toEqual([]);
});
