// Any text at all: it is read or its problems are told, quickly, and nothing is kept behind.
import { readFileSync, readdirSync } from 'node:fs';
import { CORE_SCHEMA, load, mergeTag, realMapTag } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { heldMemory } from '../support/kept-memory.ts';
import { TIMES, cpuMs, expectCostNear, timesUsual, usualCost } from '../support/cost.ts';
import { SEED, effort } from '../support/effort.ts';
import { BOMBS, manyStreams } from './bombs.ts';

const COUNT = effort(5_000);

const GOOD = [
  `name: search\nversion: 1.2.3\ndescription: d\nmodel: sim-1\nstreams:\n  api:\n    description: d\n    plan: |\n      Write it.\n    context: {files: [src/], depth: moderate}\n    commands: [{command: npm test, critical: true}]\n    constraints: {maxSteps: 3, timeout: 5000, requireTests: true}\n`,
  `feature: search\ncreated: 2026-01-31T12:00:00Z\nstatus: open\nstreams:\n  db: &db\n    name: Database\n    owns: [src/db/, 'sql/*.sql']\n  api:\n    <<: *db\n    name: "Endpoint"\n    deps: [db]\n    reads: ['src/{db,web}/**']\n    verify:\n      - npm test\n  api-fix-1:\n    name: Fix\n    parentStreamId: api\n`,
];
const FRAGMENTS = [
  '\n',
  ' ',
  '  ',
  '\t',
  '- ',
  '? ',
  ': ',
  ',',
  '[',
  ']',
  '{',
  '}',
  '#',
  '&a ',
  '*a',
  '!',
  '!!str ',
  '!<x> ',
  '|',
  '>-',
  '|2',
  '"',
  "'",
  '\\',
  '%',
  '@',
  '`',
  '---\n',
  '...\n',
  '<<: ',
  '\r\n',
  '\r',
  '\ufeff',
  '\u0085',
  '\u2028',
  '\ud800',
  '\0',
  '🧀',
  'feature: x\n',
  'name: x\n',
  'version: 1.0.0\n',
  'streams:\n',
  '  a:\n',
  '    deps: [a, b]\n',
  '    owns: ["**"]\n',
  '    reads: [a/{b,c}]\n',
  '__proto__: 1\n',
  'constructor: {a: b}\n',
  'toString: x\n',
  'null',
  '~',
  '0x1F',
  '1e999',
  '.nan',
  'true',
];

function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: <T>(list: readonly T[]): T => list[below(list.length)]! };
}

const folder = new URL('corpus/', import.meta.url);
const SEEDS = [
  ...GOOD,
  ...GOOD,
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8')),
];

function mutate(text: string, random: ReturnType<typeof createRandom>): string {
  let result = text;
  for (let times = 1 + random.below(6); times > 0; times--) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + random.below(20));
    const piece = result.slice(at, end);
    const kinds = [
      () => result.slice(0, at) + random.pick(FRAGMENTS) + result.slice(at),
      () => result.slice(0, at) + result.slice(end),
      () => result.slice(0, at) + piece.repeat(2 + random.below(8)) + result.slice(end),
      () => result.slice(0, at) + String.fromCharCode(random.below(0x250)) + result.slice(at + 1),
      () => result.slice(0, at) + random.pick(SEEDS).slice(0, random.below(200)),
    ];
    result = random.pick(kinds)();
  }
  return result;
}

function generate(random: ReturnType<typeof createRandom>): string {
  if (random.below(10) > 1) return mutate(random.pick(SEEDS), random);
  return Array.from({ length: random.below(60) }, () => random.pick(FRAGMENTS)).join('');
}

/** Reads a text and checks what is said of it. */
function readAny(text: string): void {
  const read = parseManifest(text);
  if (read.kind === 'invalid') {
    expect(read.problems.some(({ severity }) => severity === 'error')).toBe(true);
  } else expect(read.problems.every(({ severity }) => severity === 'warning')).toBe(true);
  for (const { line, column, message } of read.problems.slice(0, 20)) {
    if (line < 1 || column < 1 || message === '') throw new Error(`No place: ${message}`);
  }
}

/** A manifest as people write them, as large as the texts that are made to cost much. */
const ORDINARY = manyStreams(
  (at) => `    plan: Write file ${at}.\n    owns: [src/f${at}.ts]\n    deps: [s${at >> 1}]\n`,
);

/** What YAML itself makes of a manifest that we read without a problem. */
function idsByYaml(text: string): string[] {
  const schema = CORE_SCHEMA.withTags(mergeTag, realMapTag);
  const top = load(text, { schema }) as Map<unknown, unknown>;
  return [...(top.get('streams') as Map<unknown, unknown>).keys()].map(String);
}

describe('parseManifest on any text', () => {
  let usual = 0;
  beforeAll(() => {
    usual = usualCost(() => readAny(ORDINARY));
  });

  it(`survives ${COUNT} broken texts, each soon, without keeping memory`, () => {
    const random = createRandom(SEED);
    let slowest = { spent: 0, text: '' };
    let heldAtQuarter = 0;
    let agreed = 0;
    for (let done = 0; done < COUNT; done++) {
      const text = generate(random);
      let spent: number;
      try {
        spent = cpuMs(() => readAny(text));
      } catch (error) {
        throw new Error(`TEST_SEED=${SEED}, text ${done}: ${JSON.stringify(text)}`, {
          cause: error,
        });
      }
      if (spent > slowest.spent) slowest = { spent, text };
      if (done === Math.floor(COUNT / 4)) heldAtQuarter = heldMemory();
      if (done % 7 === 0) {
        const read = parseManifest(text);
        if (
          read.kind === 'manifest' &&
          [...read.manifest.streams.keys()].every((id) => /^[a-z]/.test(id))
        ) {
          expect([...read.manifest.streams.keys()], text).toEqual(idsByYaml(text));
          agreed += 1;
        }
      }
    }
    expect(timesUsual(slowest.spent, usual), JSON.stringify(slowest.text)).toBeLessThan(TIMES);
    expect(heldMemory() - heldAtQuarter).toBeLessThan(20 * 1024 * 1024);
    expect(agreed).toBeGreaterThan(0);
  });

  it.each(Object.keys(BOMBS))('is not blown up by %s', (name) => {
    expectCostNear(usual, () => readAny(BOMBS[name]!));
  });
});
