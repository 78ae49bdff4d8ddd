// Writes a file as a whole: a reader sees the old text or the new one, also after a crash.
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder, writeSynced } from './synced-file.ts';

export async function writeWholeFile(
  path: string,
  text: string,
  options: {
    mode: number;
    /** Where the new text is written first; a name that stays the same is left behind only once. */
    draft?: string;
    /** A last look before the new text takes its place; what it throws leaves the old one. */
    beforeReplacing?(): Promise<void>;
  },
): Promise<void> {
  const draft = options.draft ?? join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // One that a process which was killed left behind.
    rmSync(draft, { force: true });
    await writeSynced(draft, text, options.mode & 0o7777);
    await options.beforeReplacing?.();
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  // The file itself is safe; a folder that cannot be opened changes nothing of that.
  await syncFolder(dirname(path)).catch(() => {});
}
