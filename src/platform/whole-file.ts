// Writes a file as a whole: whoever reads it sees the old text or the new one, also after a crash.
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe.
  }
}

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
  const mode = options.mode & 0o7777;
  const draft = options.draft ?? join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    // One that a process which was killed left behind.
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', mode);
    try {
      // The umask may have taken bits away.
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.beforeReplacing?.();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
