// Whether a run could write at all, asked before anything is begun: answers cost money, and a run
// whose state cannot be kept cannot be resumed.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProjectPlace } from '../state/state-dir.ts';
import { OrchestratorError } from '../errors.ts';

const REASONS: Partial<Record<string, string>> = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'it is on a read-only file system',
  ENOTDIR: 'a part of the path is not a folder',
};

/** The folder itself, or the nearest one above it that is there. */
function nearest(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (statSync(at, { throwIfNoEntry: false }) !== undefined || dirname(at) === at) return at;
  }
}

/** Throws where a run could not write; makes nothing. */
export function checkWritable({ root, stateDir }: ProjectPlace): void {
  check(root, 'Runs write the files of the project. Make it writable, or work in a copy of it.');
  check(
    stateDir,
    'Runs keep their state there. Make it writable, or set MILLRACE_STATE_DIR to another folder.',
  );
}

function check(folder: string, hint: string): void {
  try {
    const at = nearest(folder);
    if (!statSync(at).isDirectory()) {
      throw Object.assign(new Error(`${at} is not a folder`), { code: 'ENOTDIR' });
    }
    accessSync(at, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new OrchestratorError({
      code: 'STATE_FOLDER_UNUSABLE',
      message: `Cannot write to ${folder}: ${REASONS[code] ?? message}.`,
      hint,
    });
  }
}
