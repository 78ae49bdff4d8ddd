import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** The message says what to do; it is for the person who started the second server. */
export class DataFolderInUseError extends Error {
  constructor(dataDir: string, pid: number | undefined) {
    const owner = pid === undefined ? '' : ` (pid ${pid})`;
    super(
      `The data folder ${dataDir} is in use by another Millrace server${owner}. ` +
        'Stop it, or choose another folder with --data-dir.',
    );
    this.name = 'DataFolderInUseError';
  }
}

export interface DataLock {
  release(): void;
}

// Collected as garbage, a connection would close and give its lock away under a running server.
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

/**
 * Takes the folder for this process, or throws DataFolderInUseError.
 *
 * The lock is one of the kernel's, on an open file: it ends with the process however that ends,
 * children do not inherit it, and it holds between containers that share the folder, where process
 * ids mean nothing. A file with a pid in it fails at all three. Node has no call for such locks of
 * its own, but SQLite, which is built in, locks its file in just this way on every platform; the
 * file stays empty. (Nothing else in this process may open that file: closing any handle on it
 * would drop the lock.) The pid file beside it only serves the message.
 */
export async function lockDataFolder(dataDir: string): Promise<DataLock> {
  const Database = await loadDatabase();
  const path = join(dataDir, 'server.lock');
  const pidPath = join(dataDir, 'server.pid');
  const database = new Database(path);
  try {
    // No journal: there is nothing to roll back, and its file would outlive a killed process.
    database.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new DataFolderInUseError(dataDir, readPid(pidPath));
    throw new Error(
      `Could not lock ${path}. The data folder must be on a file system that supports locks.`,
      {
        cause: error,
      },
    );
  }
  chmodSync(path, 0o600);
  writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  held.add(database);
  return {
    release() {
      if (held.delete(database)) database.close();
    },
  };
}

// Loaded on use, and without Node 22's warning that the module is young: the one call made here
// has not changed since it appeared, and the warning would be the first thing a user reads.
async function loadDatabase(): Promise<typeof DatabaseSync> {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return (await import('node:sqlite')).DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
