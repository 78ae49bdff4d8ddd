import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EditError } from '../../src/manifest/edit/edit-error.ts';
import { editManifest } from '../../src/manifest/edit/editor.ts';
import type { ManifestEditor } from '../../src/manifest/edit/editor.ts';

function edited(text: string, change: (editor: ManifestEditor) => void): string {
  const editor = editManifest(text);
  change(editor);
  const result = editor.toString();
  expect(parse(result)).toEqual(load(result));
  return result;
}

function errorOf(work: () => unknown): EditError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(EditError);
    return error as EditError;
  }
  throw new Error('nothing was thrown');
}

const SAMPLE = `# Top
feature: login
streams:
  # The API
  api:   # first
    name: 'API'
    status: pending   # managed
    plan: |
      Do it.

  db: { name: DB }

# End
`;

describe('setting a field', () => {
  test('replaces only the value', () => {
    const result = edited(SAMPLE, (editor) => editor.set('api', 'status', 'complete'));
    expect(result).toBe(SAMPLE.replace('pending', 'complete'));
  });

  test('adds a line above a long text at the end of a stream', () => {
    const result = edited(SAMPLE, (editor) => editor.set('api', 'attempts', 2));
    expect(result).toBe(SAMPLE.replace('# managed\n', '# managed\n    attempts: 2\n'));
  });

  test('adds to a stream in braces', () => {
    const result = edited(SAMPLE, (editor) => editor.set('db', 'status', 'failed'));
    expect(result).toBe(SAMPLE.replace('{ name: DB }', '{ name: DB, status: failed }'));
  });

  test('takes a field away with its line', () => {
    const result = edited(SAMPLE, (editor) => editor.set('api', 'status', null));
    expect(result).toBe(SAMPLE.replace('    status: pending   # managed\n', ''));
    expect(edited(result, (editor) => editor.set('api', 'status', null))).toBe(result);
  });

  test.each([
    [
      'a literal block',
      'error: |  # log\n      one\n\n      two\n    name: x',
      'error: new  # log\n    name: x',
    ],
    ['a folded block', 'error: >-\n      one\n      two\n    name: x', 'error: new\n    name: x'],
    ['a block without content', 'error: |\n    name: x', 'error: new\n    name: x'],
    [
      'plain text over lines',
      'error: one\n      two # c\n    name: x',
      'error: new # c\n    name: x',
    ],
    ['quoted text over lines', 'error: "one\n      two"\n    name: x', 'error: new\n    name: x'],
    [
      'a value on the next line',
      'error:\n      one\n    name: x',
      'error:\n      new\n    name: x',
    ],
    ['a missing value', 'error: # none\n    name: x', 'error: new # none\n    name: x'],
    ['null', 'error: ~\n    name: x', 'error: new\n    name: x'],
    ['a quoted key', `"error": 'x'\n    name: x`, `"error": new\n    name: x`],
  ])('replaces %s', (_, before, after) => {
    const wrap = (fields: string) => `streams:\n  api:\n    ${fields}\n`;
    expect(edited(wrap(before), (editor) => editor.set('api', 'error', 'new'))).toBe(wrap(after));
  });

  test.each([
    ['nothing', 'api:', 'api:\n    status: x'],
    ['nothing and a comment', 'api: # c', 'api: # c\n    status: x'],
    ['empty braces', 'api: {} # c', 'api: {status: x} # c'],
    ['null', 'api: ~', 'api: {status: x}'],
  ])('gives a stream of %s its first field', (_, before, after) => {
    const wrap = (stream: string) => `streams:\n  ${stream}\n  b: {}\n`;
    expect(edited(wrap(before), (editor) => editor.set('api', 'status', 'x'))).toBe(wrap(after));
  });

  test('leaves an empty mapping when the last field goes', () => {
    const result = edited('streams:\n  api: # c\n    status: x\n', (editor) =>
      editor.set('api', 'status', null),
    );
    expect(result).toBe('streams:\n  api: {} # c\n');
  });

  test('keeps line breaks, a byte order mark and a missing last line break', () => {
    const text = '\uFEFFstreams:\r\n  api:\r\n    name: x';
    const result = edited(text, (editor) => editor.set('api', 'status', 'failed'));
    expect(result).toBe('\uFEFFstreams:\r\n  api:\r\n    name: x\r\n    status: failed');
  });

  test('keeps JSON what it is', () => {
    const text = JSON.stringify({ feature: 'x', streams: { a: { name: 'A' }, b: {} } }, null, 2);
    const result = edited(text, (editor) => {
      editor.set('a', 'status', 'complete');
      editor.set('b', 'attempts', 1);
      editor.addDeps('b', ['a']);
      editor.setTop('status', 'running');
      editor.addStream({ id: 'c', name: 'C', deps: ['a'] });
      editor.removeStream('a');
    });
    expect(JSON.parse(result)).toEqual({
      feature: 'x',
      status: 'running',
      streams: { b: { attempts: 1, deps: ['a'] }, c: { name: 'C', deps: ['a'] } },
    });
  });

  test.each([
    'null',
    'true',
    'yes',
    '12',
    '1.5e3',
    '0x1f',
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    '~',
    '',
    ' x',
    'x ',
    'a: b',
    'a #b',
    '- a',
    '[a',
    '{',
    '*a',
    '&a',
    '!a',
    '%a',
    '@a',
    '`a',
    '?',

    'a\nb',
    'a\r\nb\n',
    '\t',
    '\0',
    '\u0085',
    '\u2028\u2029',
    '\uFEFF',
    '\uD800',
    '\uDC00x',
    '😀',
    'é',
    '"',
    `'`,
    '\\',
    '\\n',
    '---',
    '...',
    '<<',
    '=',
    'x'.repeat(8192),
    'long: \n'.repeat(1000),
  ])('writes %j so that it reads back exactly', (value) => {
    for (const text of [SAMPLE, '{"streams": {"api": {"error": 1}}}', 'streams:\n  api:\n']) {
      const result = edited(text, (editor) => editor.set('api', 'error', value));
      const { streams } = load(result) as { streams: { api: { error: string } } };
      expect(streams.api.error).toBe(value);
    }
  });
});

describe('deps', () => {
  const wrap = (deps: string) => `streams:\n  api:\n    name: x\n${deps}    reads: []\n`;

  test.each([
    ['a list in brackets', '    deps: [a]  # c\n', '    deps: [a, b, c]  # c\n'],
    ['an empty list', '    deps: []\n', '    deps: [b, c]\n'],
    [
      'a list of lines',
      '    deps:\n      - a # c\n',
      '    deps:\n      - a # c\n      - b\n      - c\n',
    ],
    [
      'a list of lines without indentation',
      '    deps:\n    - a\n',
      '    deps:\n    - a\n    - b\n    - c\n',
    ],
    [
      'brackets over lines',
      '    deps: [\n      a,\n      ]\n',
      '    deps: [\n      a,\n      b, c,\n      ]\n',
    ],
    ['nothing', '    deps: # c\n', '    deps: [b, c] # c\n'],
    ['null', '    deps: null\n', '    deps: [b, c]\n'],
  ])('are added to %s', (_, before, after) => {
    const result = edited(wrap(before), (editor) => editor.addDeps('api', ['b', 'c', 'b']));
    expect(result).toBe(wrap(after));
    expect(edited(result, (editor) => editor.addDeps('api', ['c', 'b']))).toBe(result);
  });

  test('get a field of their own when there is none', () => {
    const result = edited(wrap(''), (editor) => editor.addDeps('api', ['b']));
    expect(result).toBe(`${wrap('')}    deps: [b]\n`);
  });
});

describe('the status of the manifest', () => {
  test('is replaced wherever it is', () => {
    expect(edited(`status: a # c\n${SAMPLE}`, (editor) => editor.setTop('status', 'b'))).toBe(
      `status: b # c\n${SAMPLE}`,
    );
    expect(edited(`${SAMPLE}status: a\n`, (editor) => editor.setTop('status', 'b'))).toBe(
      `${SAMPLE}status: b\n`,
    );
  });

  test('is put above the streams when it is new', () => {
    const result = edited(SAMPLE, (editor) => editor.setTop('status', 'running'));
    expect(result).toBe(SAMPLE.replace('login\n', 'login\nstatus: running\n'));
    expect(edited('streams: {}\n', (editor) => editor.setTop('status', 'x'))).toBe(
      'status: x\nstreams: {}\n',
    );
  });
});

describe('streams', () => {
  test('are added at the end, indented as the file is', () => {
    const text = 'streams:\n    api:\n       name: x\n\n# End\nstatus: x\n';
    const result = edited(text, (editor) =>
      editor.addStream({
        id: 'api-fix-1',
        name: 'Fix: api',
        parentStreamId: 'api',
        deps: ['a'],
        plan: 'One.\n\n  Two.\n',
        timeoutMs: 5,
      }),
    );
    expect(result).toBe(`streams:
    api:
       name: x
    api-fix-1:
       name: "Fix: api"
       parentStreamId: api
       deps: [a]
       plan: |
          One.

            Two.
       timeoutMs: 5

# End
status: x
`);
  });

  test.each([
    ['streams:', 'streams:\n  a:\n    name: A\n'],
    ['streams: {} # none\nx: 1\n', 'streams: # none\n  a:\n    name: A\nx: 1\n'],
    ['streams: ~\n', 'streams:\n  a:\n    name: A\n'],
    ['{"streams": {}}', '{"streams": {"a": {"name": "A"}}}'],
    ['streams: {b: {}}', 'streams: {b: {}, a: {name: A}}'],
    ['streams:\n  b: {}', 'streams:\n  b: {}\n  a:\n    name: A'],
  ])('are added to %j', (before, after) => {
    expect(edited(before, (editor) => editor.addStream({ id: 'a', name: 'A' }))).toBe(after);
  });

  test('go with their lines, and what stands around them stays', () => {
    expect(edited(SAMPLE, (editor) => editor.removeStream('db'))).toBe(
      SAMPLE.replace('  db: { name: DB }\n', ''),
    );
    const rest = '# Top\nfeature: login\nstreams: {}\n  # The API\n\n\n# End\n';
    const both = edited(SAMPLE, (editor) => {
      editor.removeStream('api');
      editor.removeStream('db');
    });
    expect(both).toBe(rest);
  });

  test('can be changed, removed and added over and over', () => {
    const editor = editManifest(SAMPLE);
    for (let i = 0; i < 2000; i++) {
      editor.set('api', 'status', i % 2 === 0 ? 'failed' : 'pending');
      editor.set('db', 'error', i % 2 === 0 ? 'x\ny' : null);
      if (i % 2 === 0) editor.addStream({ id: 'fix', name: 'Fix' });
      else editor.removeStream('fix');
    }
    expect(editor.toString()).toBe(SAMPLE);
  });
});

describe('what cannot be changed', () => {
  test.each([
    ['an anchored stream', 'streams:\n  a: {}\n  api: &x\n    name: x\n', 3],
    ['a tagged stream', 'streams:\n  api: !t\n    name: x\n', 2],
    ['a stream that is an alias', 'x: &x {}\nstreams:\n  api: *x\n', 3],
    ['an anchored field', 'streams:\n  api:\n    name: x\n    status: &s pending\n', 4],
    ['a tagged field', 'streams:\n  api:\n    status: !!str pending\n', 3],
    ['a field that is an alias', 'x: &x p\nstreams:\n  api:\n    status: *x\n', 4],
    ['a field that is a list', 'streams:\n  api:\n    status: [a]\n', 3],
    ['a stream that is a text', 'streams:\n  api: hello\n', 2],
    ['an explicit key', 'streams:\n  ? api\n  : name: x\n', 2],
  ])('%s is refused with its line, and the text stays', (_, text, line) => {
    const editor = editManifest(text);
    const error = errorOf(() => editor.set('api', 'status', 'x'));
    expect(error.line).toBe(line);
    expect(error.message).toContain('api');
    expect(editor.toString()).toBe(text);
  });

  test('streams that are not there, or there already, are refused', () => {
    const editor = editManifest(SAMPLE);
    expect(errorOf(() => editor.set('nope', 'status', 'x')).message).toContain(`'nope'`);
    expect(errorOf(() => editor.removeStream('nope')).message).toContain(`'nope'`);
    expect(errorOf(() => editor.addStream({ id: 'db', name: '' })).message).toContain(`'db'`);
    expect(errorOf(() => editor.set('db', 'attempts', Number.NaN)).message).toContain('NaN');
    expect([editor.has('db'), editor.has('nope')]).toEqual([true, false]);
  });

  test('an anchored stream is not removed, because others may need the anchor', () => {
    const editor = editManifest('streams:\n  a: {x: &x 1}\n  b: {x: *x}\n');
    expect(errorOf(() => editor.removeStream('a')).line).toBe(2);
  });

  test.each([
    ['not YAML', 'a: b\nstreams: [', 2],
    ['no streams', 'feature: x\n', 1],
    ['a list at the top', '- a\n', 1],
    ['nothing', '', 1],
    ['streams in a list', 'a: 1\nstreams: [a]\n', 2],
    ['a stream twice', 'streams:\n  a: {}\n  a: {}\n', 3],
    ['anchored streams', 'streams: &x\n  a: {}\n', 2],
  ])('a text with %s is refused', (_, text, line) => {
    expect(errorOf(() => editManifest(text)).line).toBe(line);
  });
});
