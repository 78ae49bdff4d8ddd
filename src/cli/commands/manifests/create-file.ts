// Writes a manifest that is new, and never over one that is there unless that was asked for.
import { lstatSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../../platform/make-folder.ts';
import { writeWholeFile } from '../../../platform/whole-file.ts';
import { CommandError } from '../../command-error.ts';

function fileExists(file: string): CommandError {
  return new CommandError({
    code: 'FILE_EXISTS',
    message: `${file} already exists.`,
    hint: 'Choose another name, or overwrite it with --force.',
  });
}

/** Before anything is paid for. The file itself is created exclusively all the same. */
export function checkAbsent(file: string): void {
  // A link that leads nowhere is there, too.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw fileExists(file);
}

async function writeNew(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** `force`: in place of what is there. A link is replaced, not what it leads to. */
export async function createFile(file: string, text: string, force: boolean): Promise<void> {
  try {
    makeFolder(dirname(file));
    if (force) await writeWholeFile(file, text, { mode: 0o666 & ~process.umask() });
    else await writeNew(file, text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExists(file);
    throw new CommandError({
      code: 'CANNOT_WRITE',
      message: `Cannot write ${file}: ${message}`,
      hint: 'Choose a folder that you can write to.',
    });
  }
}
