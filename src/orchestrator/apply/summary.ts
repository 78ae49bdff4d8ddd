// A change in a few figures.
import type { FileChangeSummary } from '../../contract/run-events.ts';
import { countChanges } from './diff.ts';
import type { FileChange } from './file-change.ts';

export function summaryOf(change: FileChange): FileChangeSummary {
  const kind = change.before === null ? 'create' : change.after === null ? 'delete' : 'edit';
  return { path: change.path, kind, ...countChanges(change.before, change.after) };
}
