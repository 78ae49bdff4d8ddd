// What an answer makes of a project: read as the product reads it, applied as the product applies it.
import type { Operation } from '../../src/contract/artifact.ts';
import { applyEdits } from '../../src/domain/artifact/apply-edits.ts';
import { inFormOf } from '../../src/domain/artifact/file-form.ts';
import { parseArtifact } from '../../src/domain/artifact/parse-artifact.ts';

export type Files = Record<string, string>;

export type Outcome =
  | { kind: 'applied'; files: Files; operations: Operation[] }
  | { kind: 'refused'; why: string }
  | { kind: 'none' }
  | { kind: 'reads'; paths: string[] };

export function applyAnswer(answer: string, before: Files): Outcome {
  const parsed = parseArtifact(answer, 'stream');
  if (parsed.kind === 'none') return { kind: 'none' };
  if (parsed.kind === 'reads') return parsed;
  if (parsed.kind === 'invalid') return { kind: 'refused', why: parsed.problems.join('; ') };
  const files = { ...before };
  for (const operation of parsed.artifact.operations) {
    const { path } = operation;
    const text = files[path];
    if (operation.type === 'delete') {
      if (text === undefined) return { kind: 'refused', why: `${path} is not there` };
      delete files[path];
    } else if ('content' in operation) {
      files[path] = text === undefined ? operation.content : inFormOf(text, operation.content);
    } else {
      if (text === undefined) return { kind: 'refused', why: `${path} is not there` };
      const applied = applyEdits(text, operation.edits);
      if (applied.kind === 'failed') {
        return { kind: 'refused', why: applied.failures.map(({ code }) => code).join(', ') };
      }
      files[path] = applied.text;
    }
  }
  return { kind: 'applied', files, operations: parsed.artifact.operations };
}
