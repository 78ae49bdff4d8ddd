// Replaces a file as a whole: whoever reads it sees the old text or the new one, also after a crash.
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from './command-error.ts';
import { EXIT } from './exit-codes.ts';

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

/** `before` is the text that the new one was made from: if it is another by now, nothing is done. */
export async function replaceFile(path: string, before: string, after: string): Promise<void> {
  const { mode } = await stat(path);
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    const handle = await open(temporary, 'wx', mode & 0o7777);
    try {
      // The umask may have taken bits away.
      await handle.chmod(mode & 0o7777);
      await handle.writeFile(after);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if ((await readFile(path, 'utf8')) !== before) {
      throw new CommandError({
        code: 'FILE_CHANGED',
        message: `${path} was changed by somebody else meanwhile; nothing was written.`,
        hint: 'Run the command again.',
        exit: EXIT.failed,
      });
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
