// millrace revert: one change that takes back everything a run has written, or nothing.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest } from '../../../manifest/text/parse.ts';
import { realDisk } from '../../../orchestrator/apply/disk.ts';
import { readJournalFile } from '../../../orchestrator/apply/journal-file.ts';
import type { FileChange } from '../../../orchestrator/apply/file-change.ts';
import { REVERT } from '../../../orchestrator/apply/record.ts';
import { applyChanges } from '../../../orchestrator/apply/transaction.ts';
import { createTree } from '../../../orchestrator/apply/tree.ts';
import { createCheckpoint } from '../../../orchestrator/state/checkpoint.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { appliedChanges } from './applied-changes.ts';
import type { AppliedChanges } from './applied-changes.ts';
import { nameLastWithChanges } from './last-with-changes.ts';
import { findRun } from './find-run.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { findProject } from './project.ts';
import { countOf } from '../../terminal/figures.ts';
import type { RunProjection } from '../../../domain/run/projection.ts';
import { withProjectLock } from './with-lock.ts';

async function contentOf(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function conflictError(paths: readonly string[]): CommandError {
  const list = paths.map((path) => `  ${plain(path)}`).join('\n');
  return new CommandError({
    code: 'CONFLICT',
    message: `Nothing was taken back: ${countOf(paths.length, 'file')} changed since the run:\n${list}`,
    hint: 'Put them back first, or pass --force to lose those changes.',
    exit: EXIT.failed,
  });
}

/** From what is there now to what was there before the run. */
async function reverseOf(
  root: string,
  net: readonly FileChange[],
  isForced: boolean,
): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  const conflicts: string[] = [];
  for (const { path, before, after, mode } of net) {
    const now = await contentOf(join(root, path));
    if (isSame(now, before)) continue;
    if (!isSame(now, after)) conflicts.push(path);
    changes.push({ path, before: now, after: before, mode });
  }
  if (conflicts.length > 0 && !isForced) throw conflictError(conflicts);
  return changes;
}

/** Folders that the run made and that are empty now; inner ones first, and none through a link. */
async function removeNewFolders(root: string, { entries }: AppliedChanges): Promise<void> {
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

/** Streams that the run completed wait again, so that the next run does them anew. */
async function resetManifest(root: string, projection: RunProjection): Promise<string[]> {
  const file = join(root, projection.file);
  const text = (await contentOf(file))?.toString('utf8');
  if (text === undefined) return [];
  const parsed = parseManifest(text, { file: projection.file });
  if (parsed.kind === 'invalid') {
    note(`${projection.file} is not valid now and was left as it is.`);
    return [];
  }
  // In notation A the next run sees from the record of the revert that the streams wait again.
  const isReadOnly = parsed.manifest.notation === 'A';
  const onProblem = (message: string) => note(message);
  const checkpoint = createCheckpoint({ file, text, isReadOnly, onProblem });
  const reset: string[] = [];
  for (const row of projection.streams.values()) {
    const stream = parsed.manifest.streams.get(row.id);
    if (stream === undefined) continue;
    if (row.fixOf !== undefined) checkpoint.removeStream(row.id);
    else if (row.status === 'complete' && (row.attempt > 0 || row.fixes.length > 0)) {
      checkpoint.set(row.id, { status: 'pending', appliedAt: null, error: null, attempts: 0 });
      // One that the user had set back already is not our doing.
      const isSetBack =
        'status' in stream && stream.status === 'pending' && stream.appliedAt === undefined;
      if (!isSetBack) reset.push(row.id);
    }
  }
  if (reset.length > 0) checkpoint.setRunStatus('pending');
  await checkpoint.flush();
  await checkpoint.close();
  return reset;
}

export async function revert(options: CommandOptions, args: string[]): Promise<number> {
  const { root, stateDir } = await findProject(options);
  const { runId, events } = await findRun(stateDir, args[0]);
  const projection = projectionOf(events);
  const outcome = await withProjectLock({ root, stateDir }, runId, async () => {
    const applied = await appliedChanges(stateDir, runId);
    const changes = await reverseOf(root, applied.net, options['force'] === true);
    if (applied.net.length === 0) return { files: [], streams: [] };
    const attempt = applied.entries.filter(({ streamId }) => streamId === REVERT).length + 1;
    const done = await applyChanges({ root, stateDir, runId, streamId: REVERT, attempt }, changes);
    if (done.kind === 'conflict') throw conflictError(done.problems.map(({ path }) => path));
    await removeNewFolders(root, applied);
    return {
      files: changes.map(({ path }) => path),
      streams: await resetManifest(root, projection),
    };
  });
  const { files, streams } = outcome;
  if (options['json']) print(JSON.stringify({ runId, files, streams }));
  else if (files.length === 0) {
    print(`${runId}: there is nothing to take back.`);
    await nameLastWithChanges(stateDir, 'revert');
  } else {
    print(`Taken back: ${countOf(files.length, 'file')} of ${runId}.`);
    for (const path of files) print(`  ${plain(path)}`);
    if (streams.length > 0) {
      note(`Streams that wait again in ${projection.file}: ${streams.map(plain).join(', ')}`);
    }
  }
  return EXIT.ok;
}
