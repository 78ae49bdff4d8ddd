// Replaces a file of the user's.
import { readFile, stat } from 'node:fs/promises';
import { writeWholeFile } from '../../platform/whole-file.ts';
import { CommandError } from '../command-error.ts';
import { EXIT } from '../exit-codes.ts';

/** `before` is the text that the new one was made from: if it is another by now, nothing is done. */
export async function replaceFile(path: string, before: string, after: string): Promise<void> {
  const { mode } = await stat(path);
  await writeWholeFile(path, after, {
    mode,
    async beforeReplacing() {
      if ((await readFile(path, 'utf8')) === before) return;
      throw new CommandError({
        code: 'FILE_CHANGED',
        message: `${path} was changed by another program; nothing was written.`,
        hint: 'Run the command again.',
        exit: EXIT.failed,
      });
    },
  });
}
