// `millrace run` where files change, look odd or are looked after by others. Whatever happens, no work
// of anybody is lost.
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHere } from '../support/run-here.ts';
import type { ModelCall } from '../support/scripted-model.ts';
import type { Project } from './project.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project, workflow } = useScriptedProjects();

async function run(place: Project, ...args: string[]) {
  return runHere(['run', '-C', place.root, '--yes', '--json', ...args], {
    MILLRACE_URL: server.url,
    MILLRACE_API_KEY: server.key,
    MILLRACE_STATE_DIR: join(place.root, '.millrace'),
    XDG_CONFIG_HOME: join(place.root, '.millrace', 'no-config'),
  });
}

interface Hazard {
  name: string;
  files: Record<string, string>;
  stream?: object;
  streams?: Record<string, object>;
  prepare?(place: Project): void;
  answer(call: ModelCall, place: Project): string;
  expected: Record<string, string>;
  calls: number;
}

const CRLF = 'first\r\nsecond\r\nthird\r\n';
const BOM = '\uFEFF';
const TABBED = 'function f() {\n\tif (a) {\n\t\tone();\n\t}\n}\n';
const LONG = Array.from(
  { length: 30_000 },
  (_, at) => `row ${at}: some words of a long table`,
).join('\n');

const FORMAT = 'grep -q formatted a.txt || echo "# formatted" >> a.txt';

const HAZARDS: Hazard[] = [
  {
    name: 'a person edits the file while the model thinks, and the answer is a whole text',
    files: { 'a.txt': 'one\ntwo\n' },
    answer({ number }, place) {
      if (number > 1) return edits(whole('a.txt', 'ONE\ntwo\nby hand\n'));
      place.write('a.txt', 'one\ntwo\nby hand\n');
      return edits(whole('a.txt', 'ONE\ntwo\n'));
    },
    expected: { 'a.txt': 'ONE\ntwo\nby hand\n' },
    calls: 2,
  },
  {
    name: 'a person edits the file while the model thinks, and the answer is an edit',
    files: { 'a.txt': 'one\ntwo\n' },
    answer(_, place) {
      place.write('a.txt', 'one\ntwo\nby hand\n');
      return edits(replace('a.txt', 'one', 'ONE'));
    },
    expected: { 'a.txt': 'ONE\ntwo\nby hand\n' },
    calls: 1,
  },
  {
    name: 'a person removes the file while the model thinks',
    files: { 'a.txt': 'one\n' },
    answer({ number }, place) {
      if (number > 1) return edits(whole('a.txt', 'anew\n', 'create'));
      writeFileSync(join(place.root, 'b.txt'), 'moved by hand: one\n');
      // As an editor does it: another file takes its name.
      place.write('a.txt', '');
      return edits(whole('a.txt', 'ONE\n'));
    },
    expected: { 'a.txt': 'anew\n', 'b.txt': 'moved by hand: one\n' },
    calls: 2,
  },
  {
    name: 'a long file is shown in part, and the answer is a whole text',
    files: { 'a.txt': `${LONG}\n` },
    stream: { contextTokens: 2000 },
    answer: ({ number }) =>
      edits(
        number === 1
          ? whole('a.txt', 'row 0: CHANGED\n')
          : replace('a.txt', 'row 0: some words of a long table', 'row 0: CHANGED'),
      ),
    expected: {
      'a.txt': `${LONG.replace('row 0: some words of a long table', 'row 0: CHANGED')}\n`,
    },
    calls: 2,
  },
  {
    name: 'a file with CRLF gets a whole text with LF',
    files: { 'a.txt': CRLF },
    answer: () => edits(whole('a.txt', 'first\nSECOND\nthird\n')),
    expected: { 'a.txt': 'first\r\nSECOND\r\nthird\r\n' },
    calls: 1,
  },
  {
    name: 'a file with CRLF gets edits with LF',
    files: { 'a.txt': CRLF },
    answer: () => edits(replace('a.txt', 'second\nthird', 'SECOND\nnew\nthird')),
    expected: { 'a.txt': 'first\r\nSECOND\r\nnew\r\nthird\r\n' },
    calls: 1,
  },
  {
    name: 'a file with LF gets an answer with CRLF',
    files: { 'a.txt': 'first\nsecond\nthird\n' },
    answer: () => edits(replace('a.txt', 'second', 'SECOND\nnew')).replaceAll('\n', '\r\n'),
    expected: { 'a.txt': 'first\nSECOND\nnew\nthird\n' },
    calls: 1,
  },
  {
    name: 'a file that begins with a byte order mark gets a whole text without it',
    files: { 'a.txt': `${BOM}one\n` },
    answer: () => edits(whole('a.txt', 'ONE\n')),
    expected: { 'a.txt': `${BOM}ONE\n` },
    calls: 1,
  },
  {
    name: 'a file without a line break at its end gets a whole text',
    files: { 'a.txt': 'one\ntwo' },
    answer: () => edits(whole('a.txt', 'ONE\ntwo\n')),
    expected: { 'a.txt': 'ONE\ntwo' },
    calls: 1,
  },
  {
    name: 'a file with tabs gets edits with spaces',
    files: { 'a.js': TABBED },
    answer: () =>
      edits(
        replace(
          'a.js',
          '    if (a) {\n        one();\n    }',
          '    if (a) {\n        two();\n    }',
        ),
      ),
    expected: { 'a.js': TABBED.replace('one', 'two') },
    calls: 1,
  },
  {
    name: 'a file with tabs gets edits without indentation',
    files: { 'a.js': TABBED },
    answer: () => edits(replace('a.js', 'one();', 'two();\nthree();')),
    expected: { 'a.js': TABBED.replace('one();', 'two();\n\t\tthree();') },
    calls: 1,
  },
  {
    name: 'the file is a link to another one in the project',
    files: { 'real.txt': 'one\n' },
    prepare: (place) => symlinkSync('real.txt', join(place.root, 'a.txt')),
    answer: () => edits(whole('a.txt', 'overwritten\n')),
    expected: { 'real.txt': 'one\n', 'a.txt': 'one\n' },
    calls: 0,
  },
  {
    name: 'a formatter that verify runs changes the file afterwards',
    files: { 'a.txt': 'one\ntwo\n' },
    stream: { verify: ['tr a-z A-Z < a.txt > t; cat t > a.txt; rm t'] },
    answer: () => edits(replace('a.txt', 'two', 'two\nthree')),
    expected: { 'a.txt': 'ONE\nTWO\nTHREE\n' },
    calls: 1,
  },
  {
    name: 'two streams own the file one after the other, and verify formats it',
    files: { 'a.txt': 'one\n' },
    streams: {
      a: { name: 'A', owns: ['a.txt'], plan: 'A', verify: [FORMAT] },
      b: { name: 'B', owns: ['a.txt'], deps: ['a'], plan: 'B' },
    },
    answer: ({ prompt }) =>
      prompt.includes('# Task: A')
        ? edits(whole('a.txt', 'one\nA\n'))
        : edits(
            whole('a.txt', prompt.includes('# formatted') ? 'one\nA\n# formatted\nB\n' : 'B\n'),
          ),
    expected: { 'a.txt': 'one\nA\n# formatted\nB\n' },
    calls: 2,
  },
  {
    name: 'the answer holds edit markers in a fence',
    files: { 'a.txt': 'one\ntwo\nthree\n' },
    answer: () =>
      edits('edit: a.txt\n```\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n```\n'),
    expected: { 'a.txt': 'one\nTWO\nthree\n' },
    calls: 1,
  },
  {
    name: 'the answer holds a unified diff in a fence',
    files: { 'a.txt': 'one\ntwo\nthree\n' },
    answer: () => edits('edit: a.txt\n```diff\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n```\n'),
    expected: { 'a.txt': 'one\nTWO\nthree\n' },
    calls: 1,
  },
  {
    name: 'the answer leaves out what it did not change',
    files: { 'a.js': 'const one = 1;\nconst two = 2;\nconst three = 3;\n' },
    answer: ({ number }) =>
      number === 1
        ? edits(whole('a.js', 'const one = 11;\n// ... existing code ...\n'))
        : edits(replace('a.js', 'const one = 1;', 'const one = 11;')),
    expected: { 'a.js': 'const one = 11;\nconst two = 2;\nconst three = 3;\n' },
    calls: 2,
  },
];

it.each(HAZARDS)('nothing is lost when $name', async (hazard) => {
  const { files, answer, expected, calls, stream = {} } = hazard;
  const owns = ['a.txt', 'a.js'].filter((path) => path in expected);
  const one = { a: { name: 'A', owns, plan: 'Change it.', ...stream } };
  const place = project(hazard.streams ?? one, files);
  hazard.prepare?.(place);
  model().answer((call) => answer(call, place));
  const ran = await run(place);
  const found = Object.keys(expected).map((path) => [path, place.read(path)]);
  expect(Object.fromEntries(found), ran.stderr).toEqual(expected);
  if (calls > 0) expect(ran.code, ran.stdout.slice(-2000)).toBe(0);
  if (calls > 0) expect(model().calls).toHaveLength(calls);
});

it('nothing is lost when two streams of a workflow answer with the whole file', async () => {
  const stream = (name: string) => ({
    description: name,
    plan: `Task ${name}`,
    context: { files: ['f.txt'] },
  });
  const names = ['A', 'B', 'C', 'D'];
  const place = workflow(Object.fromEntries(names.map((name) => [name, stream(name)])), {
    'f.txt': 'top\nend\n',
  });
  const all = Promise.withResolvers<void>();
  model().answer(async ({ prompt, number }) => {
    if (number === names.length) all.resolve();
    await all.promise;
    const name = /Task ([A-D])/.exec(prompt)![1]!;
    const now = prompt.lastIndexOf('File: f.txt');
    const text = /```[^\n]*\n(.*?)```/s.exec(prompt.slice(now))![1]!;
    return edits(whole('f.txt', text.replace('end', `${name}\nend`)));
  });
  // Three of them meet a file that is another by then, the last one up to twice.
  const ran = await run(place, '--max-attempts', '3');
  expect(ran.code, ran.stdout.slice(-2000)).toBe(0);
  expect(place.read('f.txt').split('\n').sort()).toEqual(['', ...names, 'end', 'top']);
});

it('a link stays a link', async () => {
  const place = project(
    { a: { name: 'A', owns: ['a.txt'], plan: 'Change it.' } },
    { 'r.txt': 'one\n' },
  );
  symlinkSync('r.txt', join(place.root, 'a.txt'));
  model().answer(() => edits(replace('a.txt', 'one', 'two')));
  const ran = await run(place, '--max-attempts', '1');
  expect(ran.code).toBe(1);
  expect(lstatSync(join(place.root, 'a.txt')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(place.root, 'r.txt'), 'utf8')).toBe('one\n');
});
