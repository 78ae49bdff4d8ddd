import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../src/contract/artifact.ts';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';
import { renderEditsBlock } from '../../src/domain/artifact/render-artifact.ts';
import { anyOperations } from './any-operation.ts';

const SAMPLE = `I changed three files.

\`\`\`\`millrace-edits
summary: Says hello
status: partial

create: src/hello.ts
\`\`\`ts
export const hello = 'hi';
\`\`\`

edit: src/main.ts
<<<<<<< SEARCH
import { bye } from './bye.ts';
=======
import { hello } from './hello.ts';
>>>>>>> REPLACE
<<<<<<< SEARCH ALL
bye()
=======
hello()
>>>>>>> REPLACE

delete: src/bye.ts
\`\`\`\`
Done.`;

const EXPECTED: Artifact = {
  streamId: 's',
  status: 'partial',
  operations: [
    { type: 'create', path: 'src/hello.ts', content: "export const hello = 'hi';\n" },
    {
      type: 'edit',
      path: 'src/main.ts',
      edits: [
        {
          oldText: "import { bye } from './bye.ts';",
          newText: "import { hello } from './hello.ts';",
          wholeLines: true,
        },
        { oldText: 'bye()', newText: 'hello()', replaceAll: true, wholeLines: true },
      ],
    },
    { type: 'delete', path: 'src/bye.ts' },
  ],
  filesChanged: ['src/hello.ts', 'src/main.ts', 'src/bye.ts'],
  summary: 'Says hello',
};

function wrap(body: string, fence = '````'): string {
  return `${fence}millrace-edits\n${body}\n${fence}\n`;
}

function operations(text: string): unknown {
  const parsed = parseArtifact(text, 's');
  return parsed.kind === 'found' ? parsed.artifact.operations : parsed;
}

function problem(text: string): string {
  const parsed = parseArtifact(text, 's');
  return parsed.kind === 'invalid' ? parsed.problems.join('\n') : `not invalid: ${parsed.kind}`;
}

describe('the plain-text form', () => {
  test('creates, edits and deletes are read', () => {
    expect(parseArtifact(SAMPLE, 's')).toEqual({ kind: 'found', artifact: EXPECTED });
  });

  test('CRLF line ends mean the same', () => {
    const parsed = parseArtifact(SAMPLE.replaceAll('\n', '\r\n'), 's');
    expect(parsed).toEqual({ kind: 'found', artifact: EXPECTED });
  });

  test('an outer fence no longer than the inner ones is understood', () => {
    const parsed = parseArtifact(SAMPLE.replaceAll('````', '```'), 's');
    expect(parsed).toEqual({ kind: 'found', artifact: EXPECTED });
  });

  test('lines that look like fences or headers stay text inside a longer fence', () => {
    const content = '# Doc\n```ts\nx\n```\ncreate: y\n<<<<<<< SEARCH\n';
    const text = wrap(`create: doc.md\n\`\`\`\`\`\n${content}\`\`\`\`\``, '``````');
    expect(operations(text)).toEqual([{ type: 'create', path: 'doc.md', content }]);
  });

  test('longer markers allow marker lines in the text', () => {
    const body = 'edit: a\n<<<<<<<< SEARCH\nTitle\n=======\n========\nNew\n>>>>>>>> REPLACE';
    expect(operations(wrap(body))).toEqual([
      {
        type: 'edit',
        path: 'a',
        edits: [{ oldText: 'Title\n=======', newText: 'New', wholeLines: true }],
      },
    ]);
  });

  test('an empty REPLACE removes whole lines, an empty line in it leaves an empty line', () => {
    const remove = 'edit: a\n<<<<<<< SEARCH\nold\n=======\n>>>>>>> REPLACE';
    const blank = 'edit: a\n<<<<<<< SEARCH\nold\n=======\n\n>>>>>>> REPLACE';
    const edited = (oldText: string): unknown => [
      { type: 'edit', path: 'a', edits: [{ oldText, newText: '', wholeLines: true }] },
    ];
    expect(operations(wrap(remove))).toEqual(edited('old\n'));
    expect(operations(wrap(blank))).toEqual(edited('old'));
  });

  test('a file may end without a line break', () => {
    const body = 'create: a\n```\nx\n```\n\\ No newline at end of file';
    expect(operations(wrap(body))).toEqual([{ type: 'create', path: 'a', content: 'x' }]);
  });

  test('a whole new text for an existing file, with the hash of the old one', () => {
    const hash = 'AB'.repeat(32);
    const body = `edit: \`a b.ts\`\nbaseSha256: ${hash}\n~~~\nx\n~~~`;
    expect(operations(wrap(body))).toEqual([
      { type: 'edit', path: 'a b.ts', content: 'x\n', baseSha256: hash.toLowerCase() },
    ]);
  });

  test('several blocks count together; a JSON block after them replaces them', () => {
    const two = wrap('delete: a') + wrap('delete: b');
    expect(operations(two)).toMatchObject([{ path: 'a' }, { path: 'b' }]);
    const json = '```millrace-artifact\n{"operations":[]}\n```\n';
    expect(operations(two + json)).toEqual([]);
    expect(operations(json + two)).toMatchObject([{ path: 'a' }, { path: 'b' }]);
    expect(operations(wrap('delete: a') + wrap('delete: a'))).toEqual([
      { type: 'delete', path: 'a' },
    ]);
    const whole = 'create: a\n```\nx\n```';
    expect(problem(wrap('delete: a') + wrap(whole))).toContain('two operations');
  });

  test.each([
    ['create: a', 'no fenced text'],
    ['edit: a', 'neither'],
    ['edit: a\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE', 'no ======= line'],
    ['edit: a\n<<<<<<< SEARCH\nx\n=======\ny', 'never closed'],
    ['edit: a\n<<<<<<< SEARCH\nx\n=======\ny\n=======\nz\n>>>>>>> REPLACE', 'longer markers'],
    ['edit: a\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE', 'empty oldText'],
    ['edit: a\n```\nx\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE', 'give one of them'],
    ['Here are my edits', 'is not understood'],
    ['delete: ../a', '".." segment'],
    ['create: a\nbaseSha256: ff\n```\n```', 'below an edit or delete'],
    ['delete: a\nbaseSha256: ff', '64 hexadecimal digits'],
    ['status: great', 'status must be'],
  ])('%j is refused', (body, expected) => {
    // Tildes outside, so that a missing body cannot take the closing fence for its own.
    expect(
      problem(wrap(body, '~~~~').replace('create: a\n~~~~', 'create: a\n\ndelete: b\n~~~~')),
    ).toContain(expected);
  });

  test('a block cut off before its end is refused', () => {
    expect(problem('````millrace-edits\ndelete: a\n')).toContain('cut off');
  });
});

describe('answers that ask for files', () => {
  test('lines `read: PATH` in the block, or as the whole answer, ask for files', () => {
    const reads = { kind: 'reads', paths: ['src/a.ts', 'b c.md'] };
    const lines = 'read: src/a.ts\nread: `b c.md`\nRead: src/a.ts';
    expect(parseArtifact(`I need these.\n${wrap(lines)}`, 's')).toEqual(reads);
    expect(parseArtifact(`\n${lines}\n`, 's')).toEqual(reads);
    expect(parseArtifact(`${lines}\nThen I can start.`, 's')).toEqual({ kind: 'none' });
  });

  test('changes win over questions', () => {
    expect(operations(wrap('read: b\ndelete: a'))).toEqual([{ type: 'delete', path: 'a' }]);
  });
});

describe('an answer that is understood in part', () => {
  test('tells what is readable and which files are unclear', () => {
    const body = 'delete: a\ncreate: b\ndelete: c\ndelete: ../d\ndelete: e\ndelete: E';
    expect(parseArtifact(wrap(body), 's')).toMatchObject({
      kind: 'invalid',
      readable: [
        { type: 'delete', path: 'a' },
        { type: 'delete', path: 'c' },
      ],
      unclear: ['b', '../d', 'e', 'E'],
    });
  });
});

test.each([
  ['create: a\n```\nx\n\n```', 'a fence'],
  ['create: a\n<<<<<<< SEARCH\n=======\nx\n\n>>>>>>> REPLACE', 'a SEARCH for nothing'],
])('an empty line at the end of a whole text is kept: %s', (body) => {
  expect(operations(wrap(body))).toEqual([{ type: 'create', path: 'a', content: 'x\n\n' }]);
});

test.each([
  '<file path="a.txt">\nx\n\n</file>\n',
  '<create_file path="a.txt"><content>\nx\n\n</content></create_file>\n',
  '*** Begin Patch\n*** Add File: a.txt\n+x\n+\n*** End Patch\n',
  '```diff\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+x\n+\n```\n',
])('an empty line at the end of a whole text is kept in other forms: %j', (answer) => {
  expect(operations(answer)).toMatchObject([{ path: 'a.txt', content: 'x\n\n' }]);
});

test('what the renderer writes, the parser reads back', () => {
  fc.assert(
    fc.property(anyOperations, fc.lorem(), (list, prose) => {
      // Whatever the operations were, what is read from this form are lines.
      const asLines = list.map((each) =>
        'edits' in each
          ? { ...each, edits: each.edits.map((edit) => ({ ...edit, wholeLines: true })) }
          : each,
      );
      expect(operations(`${prose}\n${renderEditsBlock(list)}\n${prose}`)).toEqual(asLines);
    }),
    { numRuns: 2000 },
  );
});

test('the examples in the documentation are artifacts', () => {
  const page = readFileSync(new URL('../../docs/artifact-format.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/^(`{4,})text\n([\s\S]*?)^\1$/gm)];
  expect(examples).toHaveLength(2);
  for (const [, , example = ''] of examples) {
    expect(parseArtifact(example, 's')).toMatchObject({
      kind: 'found',
      artifact: { summary: 'Says hello instead of goodbye', status: 'complete' },
    });
  }
  // Shown, not handed in: a model that quotes this page has made no artifact.
  expect(parseArtifact(page, 's').kind).toBe('none');
});
