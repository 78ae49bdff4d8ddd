// What an edit makes of a file.
import { isUtf8 } from 'node:buffer';
import type { Operation } from '../../contract/artifact.ts';
import { applyEdits } from '../../domain/artifact/apply-edits.ts';
import { editProblem } from '../../domain/artifact/edit-problem.ts';
import { inFormOf } from '../../domain/artifact/file-form.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { MAX_FILE_BYTES } from './tree.ts';

type Edit = Extract<Operation, { type: 'edit' }>;

export type EditResult =
  | { kind: 'file'; after: Buffer }
  | { kind: 'problems'; problems: ApplyProblem[] };

export function isText(bytes: Buffer): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}

export function resultOf(
  operation: Edit,
  before: Buffer,
  { isExact }: { isExact: boolean },
): EditResult {
  const { path } = operation;
  const fail = (code: string, message: string): EditResult => ({
    kind: 'problems',
    problems: [{ path, code, message }],
  });
  if ('content' in operation && isExact) {
    return { kind: 'file', after: Buffer.from(operation.content) };
  }
  if (!isText(before)) return fail('NOT_TEXT', 'The file is not text and cannot be edited.');
  const tooLarge = () => fail('TOO_LARGE', 'The file would become larger than 16 MiB.');
  const text = before.toString('utf8');
  if ('content' in operation) {
    return { kind: 'file', after: Buffer.from(inFormOf(text, operation.content)) };
  }
  const applied = applyEdits(text, operation.edits);
  if (applied.kind === 'failed') {
    return { kind: 'problems', problems: applied.failures.map((each) => editProblem(path, each)) };
  }
  const after = Buffer.from(applied.text);
  return after.length > MAX_FILE_BYTES ? tooLarge() : { kind: 'file', after };
}
