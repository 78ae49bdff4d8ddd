import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Artifact } from '../../src/contract/artifact.ts';
import { parseArtifact, parseLabelled } from '../../src/domain/artifact/parse-artifact.ts';
import type { ParsedArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import { parseBlocks } from '../../src/domain/artifact/parse-blocks.ts';
import { renderArtifactBlock } from '../../src/domain/artifact/render-artifact.ts';
import { readPlan } from '../../src/domain/execution/read-plan.ts';
import { plannedTask } from '../executions/planned-task.ts';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { anyArtifact } from './any-operation.ts';
import { expectSimilarCost } from '../support/cost.ts';
import { effort } from '../support/effort.ts';

const create = { type: 'create', path: 'a.ts', content: 'x\n' };

function block(value: unknown, fence = '```', label = 'millrace-artifact'): string {
  return `${fence}${label}\n${JSON.stringify(value)}\n${fence}\n`;
}

function found(output: string): Artifact {
  const parsed = parseArtifact(output, 'stream-1');
  if (parsed.kind !== 'found') throw new Error(JSON.stringify(parsed));
  return parsed.artifact;
}

function problems(parsed: ParsedArtifact): string[] {
  return parsed.kind === 'invalid' ? parsed.problems : [`not invalid: ${parsed.kind}`];
}

function problemsOf(...operations: unknown[]): string {
  return problems(parseArtifact(block({ operations }), 's')).join('\n');
}

describe('finding the block', () => {
  test('text without a labelled block has no artifact', () => {
    for (const text of ['', 'hello', '```json\n{"operations":[]}\n```', 'millrace-artifact']) {
      expect(parseArtifact(text, 's')).toEqual({ kind: 'none' });
    }
  });

  test('reads the block between prose and fills in what is missing', () => {
    expect(found(`Done.\n\n${block({ operations: [create] })}Bye`)).toEqual({
      streamId: 'stream-1',
      status: 'complete',
      operations: [create],
      filesChanged: ['a.ts'],
      summary: '',
    });
  });

  test.each(['```', '````', '~~~', '~~~~~~', '  ```'])('accepts the fence %j', (fence) => {
    expect(found(block({ operations: [create] }, fence)).operations).toEqual([create]);
  });

  test('accepts a longer closing fence, CRLF, a word after the label and the other label', () => {
    const json = JSON.stringify({ operations: [create] });
    for (const text of [
      `\`\`\`millrace-artifact\n${json}\n\`\`\`\`\`  \n`,
      `\`\`\`millrace-artifact\r\n${json}\r\n\`\`\`\r\n`,
      `\`\`\` millrace-artifact json\n${json}\n\`\`\``,
      `\`\`\`service-artifact\n${json}\n\`\`\``,
    ]) {
      expect(found(text).operations).toEqual([create]);
    }
  });

  test('four spaces before the fence make it text, not a fence', () => {
    expect(parseArtifact(block({ operations: [create] }, '    ```'), 's').kind).toBe('none');
  });

  test('the last complete block wins', () => {
    const second = { ...create, path: 'b.ts' };
    const both = block({ operations: [create] }) + block({ operations: [second] });
    expect(found(both).filesChanged).toEqual(['b.ts']);
    expect(found(`${both}\`\`\`millrace-artifact\n{"opera`).filesChanged).toEqual(['b.ts']);
    const cutFirst = `\`\`\`millrace-artifact\n{"opera\n${block({ operations: [second] })}`;
    expect(found(cutFirst).filesChanged).toEqual(['b.ts']);
  });

  test('a block that is never closed is reported', () => {
    const parsed = parseArtifact('```millrace-artifact\n{"operations":[]}', 's');
    expect(problems(parsed).join()).toContain('never closed');
  });

  test('a block quoted in a longer fence is an example, not the artifact', () => {
    const quoted = `\`\`\`\`markdown\n${block({ operations: [create] })}\`\`\`\`\n`;
    expect(parseArtifact(quoted, 's').kind).toBe('none');
    const tildes = `~~~\n${block({ operations: [create] })}~~~\n`;
    expect(parseArtifact(tildes, 's').kind).toBe('none');
  });

  test('a fence left open before the block does not hide it', () => {
    for (const stray of ['```ts\nconst a = 1;\n', '```\n', '~~~~\n', '``````\n']) {
      expect(found(stray + block({ operations: [create] })).operations).toEqual([create]);
    }
  });

  test('content may hold fences, even a whole block', () => {
    const content = `# Doc\n\`\`\`ts\nx\n\`\`\`\n${block({ operations: [] })}~~~\n`;
    const operation = { ...create, content };
    expect(found(block({ operations: [operation] })).operations).toEqual([operation]);
  });
});

describe('reading the JSON', () => {
  test("the job's stream id replaces another one", () => {
    const text = block({ streamId: 'someone-else', operations: [] });
    expect(found(text).streamId).toBe('stream-1');
  });

  test('other names for an edit and its texts are understood', () => {
    const edits = [{ oldText: 'a', newText: 'b' }];
    const expected = [{ type: 'edit', path: 'a.ts', edits }];
    for (const operation of [
      { type: 'edit', path: 'a.ts', edits },
      { type: 'replace', path: 'a.ts', edits },
      { type: 'edit', path: 'a.ts', edits: [{ search: 'a', replace: 'b' }] },
      { type: 'edit', path: 'a.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
      { type: 'replace', path: 'a.ts', search: 'a', replace: 'b' },
    ]) {
      expect(found(block({ operations: [operation] })).operations).toEqual(expected);
    }
  });

  test('whole-text edits, deletes and base hashes are kept', () => {
    const baseSha256 = 'a'.repeat(64);
    const operations = [
      { type: 'edit', path: 'a.ts', content: '', baseSha256 },
      { type: 'delete', path: 'b.ts', baseSha256 },
      { type: 'edit', path: 'c', edits: [{ oldText: 'a', newText: '', replaceAll: true }] },
    ];
    const artifact = found(block({ operations, status: 'partial', summary: 'Half.' }));
    expect(artifact).toMatchObject({ operations, status: 'partial', summary: 'Half.' });
  });

  test('every problem of a block is listed', () => {
    const listed = problemsOf(
      { type: 'create', path: '../x', content: '' },
      { type: 'create', path: 'b' },
      { type: 'rename', path: 'c' },
      { type: 'edit', path: 'd', edits: [{ oldText: '', newText: 'x' }] },
      { type: 'edit', path: 'e' },
      { type: 'edit', path: 'f', content: 'x', edits: [{ oldText: 'a', newText: 'b' }] },
      { type: 'delete', path: 'g', baseSha256: 'xyz' },
      { type: 'create', path: 'h', content: 7 },
      { type: 'create', content: 'x' },
      'text',
    );
    for (const part of [
      '".." segment',
      'operations[1] (create "b") has no content',
      'operations[2].type must be create, edit or delete, not "rename"',
      '"d": an edit has an empty oldText',
      'needs edits or content',
      'both edits and content',
      '64 hexadecimal digits',
      'operations[7].content',
      'operations[8].path',
      'operations[9] must be an object',
    ]) {
      expect(listed).toContain(part);
    }
  });

  test('a path twice, or once more in another case, is refused', () => {
    expect(problemsOf(create, { ...create, content: 'y\n' })).toContain('two operations');
    expect(found(block({ operations: [create, create] })).operations).toEqual([create]);
    expect(problemsOf(create, { ...create, path: 'A.ts' })).toContain('differ only by case');
  });

  test.each([
    '[]',
    '7',
    'null',
    '{',
    '{}',
    '{"operations":{}}',
    '',
    '{"operations":[],"status":"x"}',
  ])('refuses %j with a problem', (json) => {
    const parsed = parseArtifact(`\`\`\`millrace-artifact\n${json}\n\`\`\``, 's');
    expect(problems(parsed)[0]).not.toContain('not invalid');
  });

  test('half a character cannot become a file', () => {
    expect(problemsOf({ ...create, content: '\ud800' })).toContain('not valid Unicode');
  });
});

describe('bounds', () => {
  test('at most 500 operations', () => {
    const many = Array.from({ length: 501 }, (_, n) => ({ ...create, path: `f${n}` }));
    expect(problemsOf(...many)).toContain('501 operations');
    expect(found(block({ operations: many.slice(1) })).operations).toHaveLength(500);
  });

  test('at most 5 MiB for a file and 50 MiB for all', () => {
    const content = 'x'.repeat(5 * 1024 * 1024);
    expect(problemsOf({ ...create, content: `${content}x` })).toContain('larger than 5 MiB');
    const eleven = Array.from({ length: 11 }, (_, n) => ({ ...create, path: `f${n}`, content }));
    expect(problemsOf(...eleven)).toBe('all files together are larger than 50 MiB');
  });

  test('a million problems are listed in a hundred lines', () => {
    const edits = Array.from({ length: 10_000 }, () => ({}));
    const listed = problemsOf({ type: 'edit', path: 'a', edits }).split('\n');
    expect(listed).toHaveLength(101);
    expect(listed.at(-1)).toBe('and 9900 more problems');
  });

  // Quadratic work on any of these would take hours, so the suite's own time limit is the check.
  test.each([
    ['backticks', '`'],
    ['bare fences', '```\n'],
    ['fences that open only', '```a\n'],
    ['alternating fences', '```\n~~~~\n'],
    ['labelled fences', '```millrace-artifact\n'],
    ['labelled blocks', '```millrace-artifact\n{}\n```\n'],
    ['edit blocks never closed', '```millrace-edits\nedit: a\n<<<<<<< SEARCH\n'],
    ['edit blocks with bodies never closed', '```millrace-edits\ncreate: a\n~~~~\n'],
    ['edit sections', 'create: a\n```\n```\n'],
    ['spaces', ' '],
    ['fences before spaces', '```       \t       x\n'],
    ['brackets', '['],
    ['line breaks', '\n'],
  ])('a quarter of a mebibyte of %s are read in linear time', (_name, unit) => {
    const body = unit.repeat(Math.ceil((256 * 1024) / unit.length));
    for (const before of ['```millrace-artifact\n', '```millrace-edits\n']) {
      expect(() => parseArtifact(`${before}${body}\n\`\`\``, 's')).not.toThrow();
    }
  });

  const repeated = (unit: string) => unit.repeat(Math.ceil((128 * 1024) / unit.length));
  test.each([
    ['bare fences', '```\n'],
    ['alternating fences', '```\n~~~~\n'],
    ['edit sections', 'create: a.ts\n```\n```\n'],
    ['paths above markers', 'a.ts\n<<<<<<< SEARCH\n'],
    ['dividers', 'edit: a.ts\n<<<<<<< SEARCH\n=======\n'],
    ['headers', 'edit: a.ts\n\n'],
    ['names of files', '```ts a.ts\n'],
    ['pages with fences', 'create: a.md\n```\n```ts\n```\nx\n'],
    ['diffs', '--- a/a.ts\n+++ b/a.ts\n@@\n'],
    ['patches', '*** Begin Patch\n*** Add File: a.ts\n'],
    ['tags', '<file path="a.ts">\n'],
    ['closed tags', '<file path="a.ts">\n</file>\n'],
    ['fields', '<edit path="a.ts"><search>\n'],
    ['open thoughts', '<think>\n'],
    ['thoughts', '<think></think>\n'],
    ['late ends of thoughts', '</think>\n'],
    ['commas', '[,'],
    ['comments', '[/**/'],
    ['dots', '// ... '],
  ])('%s cost no more than prose', (_name, unit) => {
    const text = repeated(unit);
    expectSimilarCost(
      () => ['```millrace-edits\n', '', '```\n'].map((before) => parseArtifact(before + text, 's')),
      () => parseArtifact(`edit: a.ts\n${repeated('Some words about it.\n')}`, 's'),
    );
  });

  test('fences of every length, each hiding the next, are read in linear time', () => {
    let text = '';
    for (let length = 2800; length >= 3; length--) text += `${'`'.repeat(length)}\n`;
    expect(parseArtifact(`${text}millrace-artifact`, 's').kind).toBe('none');
  });
});

describe('nesting of any depth gives an answer', () => {
  const LEVELS = 50_000;
  const nested = (open: string, close: string, inside = '') =>
    open.repeat(LEVELS) + inside + close.repeat(LEVELS);
  const deep: Record<string, string> = {
    list: nested('[', ']'),
    object: nested('{"a":', '}', '1'),
    operations: `{"operations":${nested('[', ']')}}`,
    operation: `{"operations":[${nested('{"operations":[', ']}')}]}`,
    field: `{"operations":[{"type":"create","path":"a","content":"x","more":${nested('[', ']')}}]}`,
    path: `{"operations":[{"type":"create","path":${nested('{"a":', '}', '1')},"content":"x"}]}`,
    status: `{"status":${nested('[', ']')},"operations":[]}`,
    summary: `{"summary":${nested('{"a":', '}', '1')},"operations":[]}`,
    edits: `{"operations":[{"type":"edit","path":"a","edits":${nested('[', ']')}}]}`,
    files: `{"files":${nested('{"a":', '}', '"x"')}}`,
    commas: nested('[', ',]', '1'),
    comments: nested('/* x */[', ']', '1'),
    unclosed: '{"operations":['.repeat(LEVELS),
    tags: nested('<file path="a">', '</file>', 'x'),
    thinking: nested('<think>', '</think>', 'x'),
    quotes: `${'> '.repeat(LEVELS)}x`,
    streams: `streams: ${nested('[', ']')}`,
    streamsOpen: `streams: ${'{a: '.repeat(LEVELS)}`,
    streamsBlock: `streams:\n  ${'- '.repeat(LEVELS)}x`,
    streamsKeys: `streams:\n  ${'? '.repeat(LEVELS)}x`,
  };
  const fenced = (label: string) => (body: string) => `Here:\n\n\`\`\`${label}\n${body}\n\`\`\`\n`;
  const forms: [string, (body: string) => string][] = [
    ...['millrace-artifact', 'service-artifact', 'millrace-edits', 'json', 'yaml', ''].map(
      (label): [string, (body: string) => string] => [label, fenced(label)],
    ),
    ['nothing around it', (body) => body],
    ['an unclosed block', (body) => `\`\`\`millrace-artifact\n${body}`],
  ];
  test('in a manifest', () => {
    for (const [name, body] of Object.entries(deep)) {
      expect(() => parseManifest(body), name).not.toThrow();
    }
  });
  test.each(forms)('in %s', (_name, form) => {
    for (const [name, body] of Object.entries(deep)) {
      const text = form(body);
      expect(() => {
        parseArtifact(text, 's');
        parseLabelled(text, 's');
        parseBlocks(text, 's');
        readPlan(text, plannedTask());
      }, name).not.toThrow();
    }
  });
});

test('never throws, and whatever it finds fits the contract', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('```', '~~~~', '\n', '\r\n', 'millrace-artifact\n', 'millrace-edits\n'),
    fc.constantFrom('{"operations":[]}', 'create: a\n', 'edit: b\n', 'delete: c\n', '   ```\n'),
    fc.constantFrom(
      '<<<<<<< SEARCH\n',
      '=======\n',
      '>>>>>>> REPLACE\n',
      'x\n',
      'status: failed\n',
    ),
    fc.json().map((json) => `\n\`\`\`millrace-artifact\n{"operations":[${json}]}\n\`\`\`\n`),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const parsed = parseArtifact(pieces.join(''), 'stream');
      if (parsed.kind === 'found') expect(Artifact.safeParse(parsed.artifact).success).toBe(true);
      if (parsed.kind === 'invalid') expect(parsed.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: effort(600) },
  );
});

test('what the renderer writes, the parser reads back', () => {
  fc.assert(
    fc.property(anyArtifact, fc.lorem(), (artifact, prose) => {
      const text = `${prose}\n\n${renderArtifactBlock(artifact)}\n${prose}`;
      expect(parseArtifact(text, artifact.streamId)).toEqual({ kind: 'found', artifact });
    }),
    { numRuns: effort(200) },
  );
});
