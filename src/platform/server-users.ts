// Which commands use the server of a data folder. A server that a command started for itself stays up until
// the others that found it have ended: each of them holds a lock in the folder, which ends with its process.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from './file-lock.ts';
import { makeFolder } from './make-folder.ts';

const FOLDER = 'users';
const LOOK_MS = 100;

/** Returns how to leave. Joined before the server is looked for: it cannot end in between. */
export function joinServer(dataDir: string): () => void {
  const folder = join(dataDir, FOLDER);
  const path = join(folder, `${process.pid}-${process.hrtime.bigint()}.lock`);
  try {
    makeFolder(folder, 0o700);
    const lock = lockFile(path);
    return () => {
      lock?.release();
      rmSync(path, { force: true });
    };
  } catch {
    // A folder that one cannot write to is not one's own: there is nothing to hold.
    return () => {};
  }
}

function isUsed(dataDir: string): boolean {
  const folder = join(dataDir, FOLDER);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return false;
  }
  return names.some((name) => {
    const lock = lockFile(join(folder, name));
    if (lock === undefined) return true;
    // Of a command that was killed.
    lock.release();
    rmSync(join(folder, name), { force: true });
    return false;
  });
}

export async function untilUnused(dataDir: string, onWaiting: () => void): Promise<void> {
  for (let isFirst = true; isUsed(dataDir); isFirst = false) {
    if (isFirst) onWaiting();
    await sleep(LOOK_MS);
  }
}
