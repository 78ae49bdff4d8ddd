// One change that undoes everything a run or an execution has written, or nothing.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { realDisk } from '../apply/disk.ts';
import { modes } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { readJournalFile } from '../apply/journal-file.ts';
import { REVERT } from '../apply/record.ts';
import { applyChanges } from '../apply/transaction.ts';
import { createTree } from '../apply/tree.ts';
import { OrchestratorError } from '../errors.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { appliedChanges } from './applied-changes.ts';
import type { AppliedChanges } from './applied-changes.ts';

interface Now {
  bytes: Buffer | null;
  mode: number | undefined;
}

export async function contentOf(file: string): Promise<Now> {
  try {
    return { bytes: await readFile(file), mode: (await stat(file)).mode & 0o7777 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { bytes: null, mode: undefined };
    throw error;
  }
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function conflictError(items: readonly string[]): OrchestratorError {
  const files = `${items.length} file${items.length === 1 ? '' : 's'}`;
  return new OrchestratorError({
    code: 'CONFLICT',
    message: `Nothing was reverted: ${files} changed since.`,
    items,
    hint: 'Undo those changes first, or pass --force to lose them.',
  });
}

/** From what is there now to what was there before. */
async function reverseOf(
  root: string,
  net: readonly FileChange[],
  isForced: boolean,
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  const conflicts: string[] = [];
  for (const { path, before, after, mode, newMode } of net) {
    const now = await contentOf(join(root, path));
    const isModeBack = newMode === undefined || !isSame(before, after) || now.mode === mode;
    if (isSame(now.bytes, before) && isModeBack) continue;
    if (!isSame(now.bytes, after)) conflicts.push(path);
    const current = now.mode ?? mode;
    changes.push({
      path,
      before: now.bytes,
      after: before,
      ...modes(current, before === null ? current : mode),
    });
  }
  if (conflicts.length > 0 && !isForced) throw conflictError(conflicts);
  return changes;
}

/** Folders that were made and that are empty now; inner ones first, and none through a link. */
export async function removeNewFolders(root: string, { entries }: AppliedChanges): Promise<void> {
  const folders = new Set<string>();
  for (const { dir } of entries) {
    const journal = await readJournalFile(realDisk, dir);
    for (const folder of journal?.newFolders ?? []) folders.add(folder);
  }
  const tree = createTree(realDisk, root);
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) {
    await tree.removeFolder(folder);
  }
}

/**
 * Paths of the files that are as they were now; undefined when there was nothing to revert. The
 * caller must hold the lock.
 */
export async function revertApplied(
  { root, stateDir }: ProjectPlace,
  runId: string,
  { force }: { force: boolean },
): Promise<string[] | undefined> {
  const applied = await appliedChanges(stateDir, runId);
  if (applied.net.length === 0) return undefined;
  const changes = await reverseOf(root, applied.net, force);
  const attempt = applied.entries.filter(({ streamId }) => streamId === REVERT).length + 1;
  const done = await applyChanges({ root, stateDir, runId, streamId: REVERT, attempt }, changes);
  if (done.kind === 'conflict') throw conflictError(done.problems.map(({ path }) => path));
  await removeNewFolders(root, applied);
  return changes.map(({ path }) => path);
}
