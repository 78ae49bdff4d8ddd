// Takes the copy of an attempt out of the run, so that it outlives it: a plain folder in the run's own.
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { takePicture } from '../../sandbox/copy/picture.ts';
import { removeTree } from '../../sandbox/copy/remove-tree.ts';
import type { ProjectPlace } from './state-dir.ts';
import { copiesFolderOf, copyFileOf, writeRecord } from './run-folder.ts';
import type { CopyRecord } from './copy-record.ts';

/** Of an attempt at work there may be several, each as it was at its time. */
function freeFolder(folder: string, name: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, number === 1 ? name : `${name}.${number}`);
    if (!existsSync(path)) return path;
  }
}

/** Returns the folder. Throws a PictureError where the copy is gone or cannot be read. */
export async function keepCopy(
  { stateDir, runId }: Pick<ProjectPlace, 'stateDir'> & { runId: string },
  record: CopyRecord,
): Promise<string> {
  const { stream, attempt, place } = record;
  const folder = copiesFolderOf(stateDir, runId);
  const draft = freeFolder(folder, `${stream}.${attempt}.draft`);
  try {
    await takePicture(place, draft, { isKept: true });
    const kept = freeFolder(folder, `${stream}.${attempt}`);
    renameSync(draft, kept);
    await writeRecord(copyFileOf(stateDir, runId, record), { ...record, kept });
    return kept;
  } finally {
    if (existsSync(draft)) removeTree(draft);
  }
}
