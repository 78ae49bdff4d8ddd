// A change of a file as it is shown: what became of it, how much, and the lines.
import { countChanges, unifiedDiff } from '../apply/diff.ts';
import type { FileChange } from '../apply/file-change.ts';

export interface ChangedFile {
  path: string;
  kind: 'create' | 'edit' | 'delete';
  additions: number;
  deletions: number;
  /** In the form that `git apply` takes. */
  diff: string;
}

export function toChangedFile(change: FileChange): ChangedFile {
  const { path, before, after } = change;
  const kind = before === null ? 'create' : after === null ? 'delete' : 'edit';
  return { path, kind, ...countChanges(before, after), diff: unifiedDiff(change) };
}
