import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../platform/file-lock.ts';
import type { FileLock } from '../../platform/file-lock.ts';

/** The message says what to do; it is for the person who started the second server. */
export class DataFolderInUseError extends Error {
  readonly code = 'DATA_FOLDER_IN_USE';
  readonly exit = 'failed';

  constructor(dataDir: string, pid: number | undefined) {
    const owner = pid === undefined ? '' : ` (pid ${pid})`;
    super(
      `The data folder ${dataDir} is in use by another Millrace server${owner}. ` +
        'Stop it, or choose another folder with --data-dir.',
    );
    this.name = 'DataFolderInUseError';
  }
}

export const PID_FILE = 'server.pid';

/** Takes the folder for this process, or throws DataFolderInUseError. */
export function lockDataFolder(dataDir: string): FileLock {
  // The pid file beside it serves the message, and the guard of a server that was killed.
  const pidPath = join(dataDir, PID_FILE);
  const lock = lockFile(join(dataDir, 'server.lock'));
  if (lock === undefined) throw new DataFolderInUseError(dataDir, readPid(pidPath));
  writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  return lock;
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
