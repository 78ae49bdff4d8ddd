import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EditError } from '../../src/manifest/edit/edit-error.ts';
import { editPlan } from '../../src/manifest/edit/edit-plan.ts';
import type { PlanEdit } from '../../src/manifest/edit/edit-plan.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { effort } from '../support/effort.ts';
import { anyStreams } from './any-streams.ts';
import type { AnyStream } from './any-streams.ts';

const PLAN = `# hubs: package.json goes to one early stream
feature: Search
streams:
  # paths: src/old.ts does not exist
  schema:
    name: What a book is # short
    owns: [src/book.ts, package.json]
    plan: Give a book a title.

  # overlaps: waits for schema
  search:
    name: 'Find books'
    deps: [schema]
    owns:
      - src/search.ts # the search
      - src/index.ts
    plan: |
      Find books.

      Whatever the case.
    verify:
      - npm test

  tests:
    name: Tests
    deps: [search] # last
    owns: [test/]

# The end
`;

function edited(edit: PlanEdit, text = PLAN): string {
  const result = editPlan(text, edit);
  expect(parse(result)).toEqual(load(result));
  return result;
}

function refusal(edit: PlanEdit, text = PLAN): string {
  try {
    editPlan(text, edit);
  } catch (error) {
    expect(error).toBeInstanceOf(EditError);
    return (error as EditError).message;
  }
  throw new Error('It was not refused.');
}

describe('an edit of a plan', () => {
  test.each<[string, PlanEdit, [string, string][]]>([
    [
      'moves a file out of brackets to the end of lines',
      { kind: 'move', stream: 'schema', to: 'search', entry: 'package.json' },
      [
        ['[src/book.ts, package.json]', '[src/book.ts]'],
        ['      - src/index.ts\n', '      - src/index.ts\n      - package.json\n'],
      ],
    ],
    [
      'moves a file out of lines into brackets, with the comment of its line',
      { kind: 'move', stream: 'search', to: 'schema', entry: 'src/search.ts' },
      [
        ['      - src/search.ts # the search\n', ''],
        ['package.json]', 'package.json, src/search.ts]'],
      ],
    ],
    [
      'takes a field away whose last entry goes',
      { kind: 'remove', stream: 'search', list: 'verify', entry: 'npm test' },
      [['    verify:\n      - npm test\n', '']],
    ],
    [
      'keeps the comment of a list whose last entry goes',
      { kind: 'remove', stream: 'tests', list: 'deps', entry: 'search' },
      [['deps: [search] # last', 'deps: [] # last']],
    ],
    [
      'adds a check to a stream without any',
      { kind: 'add', stream: 'schema', list: 'verify', entry: 'npx tsc --noEmit' },
      [['book a title.\n', 'book a title.\n    verify: [npx tsc --noEmit]\n']],
    ],
    [
      'adds a dependency',
      { kind: 'add', stream: 'tests', list: 'deps', entry: 'schema' },
      [['[search]', '[search, schema]']],
    ],
    [
      'renames a stream wherever it is named',
      { kind: 'id', stream: 'search', id: 'find-books' },
      [
        ['  search:\n', '  find-books:\n'],
        ['deps: [search]', 'deps: [find-books]'],
      ],
    ],
    [
      'changes a name and keeps its comment',
      { kind: 'name', stream: 'schema', name: 'Books: a type' },
      [['What a book is #', '"Books: a type" #']],
    ],
    [
      'writes a long plan as lines',
      { kind: 'plan', stream: 'schema', plan: 'One.\n\nTwo: three\n' },
      [['plan: Give a book a title.', 'plan: |\n      One.\n\n      Two: three']],
    ],
    [
      'writes a plan of one line as one',
      { kind: 'plan', stream: 'schema', plan: 'Short' },
      [['plan: Give a book a title.', 'plan: Short']],
    ],
    [
      'gives a stream its first plan',
      { kind: 'plan', stream: 'tests', plan: 'One.\nTwo.' },
      [['owns: [test/]\n', 'owns: [test/]\n    plan: |\n      One.\n      Two.\n']],
    ],
    [
      'replaces lines of a plan by others',
      { kind: 'plan', stream: 'search', plan: 'Find them.\n\n\n  - all' },
      [
        [
          '      Find books.\n\n      Whatever the case.\n',
          '      Find them.\n\n\n        - all\n',
        ],
      ],
    ],
    [
      'deletes a stream with what was said about it, and streams wait for what it waited for',
      { kind: 'delete', stream: 'search' },
      [
        [PLAN.slice(PLAN.indexOf('  # overlaps'), PLAN.indexOf('  tests:')), ''],
        ['deps: [search] # last', 'deps: [schema] # last'],
      ],
    ],
    [
      'deletes a stream that waits for nothing',
      { kind: 'delete', stream: 'schema' },
      [
        [PLAN.slice(PLAN.indexOf('  # paths'), PLAN.indexOf('  # overlaps')), ''],
        ['    deps: [schema]\n', ''],
      ],
    ],
  ])('%s', (_, edit, changes) => {
    const expected = changes.reduce((text, [from, to]) => {
      expect(text).toContain(from);
      return text.replace(from, to);
    }, PLAN);
    expect(edited(edit)).toBe(expected);
  });

  test.each<[string, PlanEdit, RegExp]>([
    [
      'a circle',
      { kind: 'add', stream: 'schema', list: 'deps', entry: 'tests' },
      /cycle.*Remove one/,
    ],
    ['an unknown dependency', { kind: 'add', stream: 'tests', list: 'deps', entry: 'x' }, /exist/],
    ['an id that is none', { kind: 'id', stream: 'tests', id: 'my tests' }, /not allowed.*letters/],
    ['an id in use', { kind: 'id', stream: 'tests', id: 'schema' }, /already exists/],
    ['an empty name', { kind: 'name', stream: 'tests', name: ' ' }, /empty/],
    [
      'a file outside of the project',
      { kind: 'add', stream: 'tests', list: 'owns', entry: '../x' },
      /Use a file, folder or glob inside the project/,
    ],
    ['a stream that is not there', { kind: 'delete', stream: 'nobody' }, /no stream 'nobody'/],
  ])('refuses %s, and says what to do', (_, edit, message) => {
    expect(refusal(edit)).toMatch(message);
  });

  test('refuses a text that is no manifest, and one without dependencies', () => {
    const edit: PlanEdit = { kind: 'delete', stream: 'a' };
    expect(refusal(edit, 'feature: [')).toMatch(/^Line 1: /);
    const workflow =
      'name: x\nversion: 1.0.0\ndescription: d\nstreams:\n  a: {description: x, plan: y}\n';
    expect(refusal(edit, workflow)).toMatch(/no files and no dependencies/);
  });

  test('keeps comments and lines of a list in brackets', () => {
    const text = (owns: string) => `feature: x\nstreams:\n  a:\n    name: A\n    owns: ${owns}\n`;
    const remove = (entry: string, owns: string) =>
      edited({ kind: 'remove', stream: 'a', list: 'owns', entry }, text(owns));
    const lines = '[\n      a.ts, # one\n      b.ts,\n      c.ts\n      ]';
    expect(remove('a.ts', lines)).toBe(text(lines.replace('a.ts,', '')));
    expect(remove('b.ts', lines)).toBe(text(lines.replace('b.ts,\n      ', '')));
    expect(remove('c.ts', lines)).toBe(text(lines.replace(',\n      c.ts', '')));
    expect(remove('a.ts', '[a.ts, b.ts, a.ts]')).toBe(text('[b.ts]'));
    expect(remove('b.ts', '[a.ts, b.ts, b.ts]')).toBe(text('[a.ts]'));
    expect(remove('a.ts', '[a.ts, # one\n      ]')).toBe(text('[ # one\n      ]'));
  });
});

type Streams = Record<string, AnyStream>;

/** Each stream with comments around it, its lists in brackets or as lines. */
function written(streams: Streams, isBlock: boolean): string {
  const list = (name: string, values: string[]) => {
    if (values.length === 0) return [];
    const quoted = values.map((value) => JSON.stringify(value));
    if (!isBlock) return [`    ${name}: [${quoted.join(', ')}] # ${name}`];
    return [`    ${name}:`, ...quoted.map((value) => `      - ${value} # an entry`)];
  };
  const blocks = Object.entries(streams).flatMap(([id, { deps, owns, reads }]) => [
    `  # about ${id}`,
    `  ${id}:`,
    `    name: Stream ${id}`,
    ...list('deps', deps),
    ...list('owns', owns),
    ...list('reads', reads),
    '',
  ]);
  return ['feature: x', 'streams:', ...blocks].join('\n');
}

function streamsOf(text: string): Streams {
  const read = parseManifest(text);
  if (read.kind === 'invalid' || read.manifest.notation === 'A') throw new Error(text);
  const entries = [...read.manifest.streams].map(([id, { deps, owns, reads }]) => [
    id,
    { deps, owns, reads },
  ]);
  return Object.fromEntries(entries) as Streams;
}

/** Lines that are in both texts, in the order of the first. */
const without = (text: string, ids: readonly string[]) =>
  text.split('\n').filter((_, at, all) => {
    const above = all.slice(0, at + 1).findLast((each) => /^ {2}(?:# about )?\w+:?$/.test(each));
    return !ids.some((id) => above?.replace(/ {2}(?:# about )?|:/g, '') === id);
  });

test('any edit of any plan changes the streams that it is about, and no line of another', () => {
  const plan = anyStreams({ isAcyclic: true, max: 5 });
  fc.assert(
    fc.property(plan, fc.boolean(), fc.nat(), fc.nat(), (streams, isBlock, first, second) => {
      const text = written(streams, isBlock);
      const ids = Object.keys(streams);
      const [from, to] = [ids[first % ids.length]!, ids[second % ids.length]!];
      fc.pre(from !== to);
      const own = streams[from]!.owns;
      const entry = own[0];
      if (entry !== undefined) {
        const moved = edited({ kind: 'move', stream: from, to, entry }, text);
        const expected = structuredClone(streams);
        expected[from]!.owns = own.filter((each) => each !== entry);
        if (!expected[to]!.owns.includes(entry)) expected[to]!.owns.push(entry);
        expect(streamsOf(moved)).toEqual(expected);
        expect(without(moved, [from, to])).toEqual(without(text, [from, to]));
      }
      const deleted = edited({ kind: 'delete', stream: from }, text);
      const rest = structuredClone(streams);
      delete rest[from];
      const followers = Object.entries(rest).filter(([, { deps }]) => deps.includes(from));
      for (const [, stream] of followers) {
        const kept = stream.deps.filter((dep) => dep !== from);
        stream.deps = [...new Set([...kept, ...streams[from]!.deps])];
      }
      const changed = [from, ...followers.map(([id]) => id)];
      expect(streamsOf(deleted)).toEqual(rest);
      expect(deleted).not.toContain(`about ${from}\n`);
      expect(without(deleted, changed)).toEqual(without(text, changed));
      const renamed = edited({ kind: 'id', stream: from, id: 'other' }, text);
      expect(renamed.replaceAll(/\bother\b/g, from).replaceAll(`"${from}"`, from)).toBe(
        text.replaceAll(`"${from}"`, from),
      );
    }),
    { numRuns: effort(200) },
  );
});
