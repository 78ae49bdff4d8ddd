// What an agent of any kind has changed in its copy, and which of the refusals it can do something about.
import type { Copy } from '../sandbox/copy/copy.ts';
import { readChanges } from './read-changes.ts';
import type { ReadChanges } from './read-changes.ts';

/** How often an agent may be asked to do without what was refused. */
export const REVISIONS = 1;

/** What the agent itself can take back. */
const MAY_UNDO: ReadonlySet<string> = new Set([
  'OUTSIDE_OWNS',
  'PROTECTED',
  'LINK',
  'NOT_A_FILE',
  'BINARY',
  'TOO_LARGE',
  'TOO_MANY_FILES',
  'BAD_PATH',
  'DUPLICATE',
  'EXISTS',
  'SYMLINK',
  'DROPPED',
  'SYNTAX',
  'IMPORT',
]);

export const mayUndo = (problems: readonly { code: string }[]): boolean =>
  problems.every(({ code }) => MAY_UNDO.has(code));

/** The copy must not be in use. */
export async function changesOf(
  copy: Copy,
  { isIgnored, note }: { isIgnored(path: string): boolean; note(message: string): void },
): Promise<Pick<ReadChanges, 'operations' | 'problems'>> {
  const { operations, problems, notes } = readChanges(await copy.changes(), {
    pathOf: copy.pathOf,
    before: copy.before,
    isIgnored,
  });
  notes.forEach(note);
  return { operations, problems };
}
