import fc from 'fast-check';
import type { Artifact, Operation } from '../../src/contract/artifact.ts';
import { checkPath } from '../../src/domain/artifact/check-path.ts';

// Texts full of what the formats themselves are made of, next to plain ones.
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('```', '````ts', '~~~', '=======', '<<<<<<< SEARCH', '>>>>>>> REPLACE', '\r'),
  fc.constantFrom('create: x', '```millrace-edits', '\\ No newline at end of file', '', '  ```'),
);
const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));
const nonEmpty = text.filter((value) => value !== '');

const path = fc
  .oneof(fc.stringMatching(/^[a-z]{1,8}(\/[A-Za-z0-9_.-]{1,8}){0,3}$/), fc.constant('`odd`'))
  .filter((value) => checkPath(value) === undefined);

const base = fc.oneof(
  fc.constant({}),
  fc.stringMatching(/^[0-9a-f]{64}$/).map((baseSha256) => ({ baseSha256 })),
);
const edit = fc.record(
  {
    oldText: nonEmpty,
    newText: text,
    replaceAll: fc.constant(true),
    wholeLines: fc.constant(true),
  },
  { requiredKeys: ['oldText', 'newText'] },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant('create' as const), path, content: text }),
  fc
    .tuple(path, fc.array(edit, { minLength: 1, maxLength: 3 }), base)
    .map(([path, edits, base]) => ({ type: 'edit' as const, path, edits, ...base })),
  fc
    .tuple(path, text, base)
    .map(([path, content, base]) => ({ type: 'edit' as const, path, content, ...base })),
  fc.tuple(path, base).map(([path, base]) => ({ type: 'delete' as const, path, ...base })),
);

/** Valid operations: no two paths alike, whatever their case. */
export const anyOperations: fc.Arbitrary<Operation[]> = fc.uniqueArray(operation, {
  selector: ({ path }) => path.toLowerCase(),
  maxLength: 6,
});

export const anyArtifact: fc.Arbitrary<Artifact> = fc
  .record({
    streamId: fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/),
    status: fc.constantFrom('complete' as const, 'partial' as const, 'failed' as const),
    operations: anyOperations,
    summary: text,
  })
  .map((artifact) => ({
    ...artifact,
    filesChanged: artifact.operations.map(({ path }) => path),
  }));
