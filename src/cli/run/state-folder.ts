// The folder `.millrace` of a project, asked before anything is begun: what cannot be kept there
// cannot be gone on with.
import { accessSync, constants, statSync } from 'node:fs';
import { stateDirOf } from '../../orchestrator/state/run-folder.ts';
import { CommandError } from '../command-error.ts';

const REASONS: Partial<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'it is on a file system that can only be read',
};

/** Throws where something else has that name. */
export function checkStateFolder(root: string): void {
  const folder = stateDirOf(root);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  throw new CommandError({
    code: 'STATE_FOLDER_UNUSABLE',
    message: `${folder} is not a folder: runs keep their state in a folder of that name.`,
    hint: 'Move it away or rename it, then try again.',
  });
}

/** Throws where nothing can be written; makes nothing. */
export function checkStateFolderWritable(root: string): void {
  checkStateFolder(root);
  const folder = stateDirOf(root);
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined;
  try {
    accessSync(isThere ? folder : root, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new CommandError({
      code: 'STATE_FOLDER_UNUSABLE',
      message: `${folder} cannot be ${isThere ? 'written' : 'made'}: ${REASONS[code] ?? message}.`,
      hint: 'Runs keep their state there. Get the right to write in the project, or work in a copy of it.',
    });
  }
}
