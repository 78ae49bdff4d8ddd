import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

export interface FileLock {
  release(): void;
}

// Collected as garbage, a connection would close and give its lock away under its owner.
const held = new Set<DatabaseSync>();

const SQLITE_BUSY = 5;

/**
 * Locks a file that is there for nothing else, and stays. Undefined if another process still has it after `waitMs`,
 * during which this thread does nothing.
 *
 * The lock is one of the kernel's, on an open file: it ends with the process however that ends, children do not
 * inherit it, and it holds between containers that share the folder, where process ids mean nothing. A file with a
 * pid in it fails at all three, and one with an age takes a process that stood still for a dead one. Node has no
 * call for such locks of its own, but SQLite, which is built in, locks its file in just this way on every platform;
 * the file stays empty. (Nothing else in this process may open that file: closing any handle on it would drop the lock.)
 */
export function lockFile(path: string, { waitMs = 0 } = {}): FileLock | undefined {
  const Database = loadDatabase();
  let database: DatabaseSync | undefined;
  try {
    database = new Database(path);
    // No journal: there is nothing to roll back, and its file would outlive a killed process.
    database.exec(`pragma busy_timeout = ${waitMs}; pragma journal_mode = memory; begin exclusive`);
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw new Error(`Could not lock ${path}. It must be on a file system that supports locks.`, {
      cause: error,
    });
  }
  const owned = database;
  held.add(owned);
  chmodSync(path, 0o600);
  return {
    release() {
      if (held.delete(owned)) owned.close();
    },
  };
}

// Loaded on use, and without Node 22's warning that the module is young: the one call made here
// has not changed since it appeared, and the warning would be the first thing a user reads.
function loadDatabase(): typeof DatabaseSync {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule('node:sqlite').DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
