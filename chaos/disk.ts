// A small disk in memory for the database, which can be filled. Only where this process may mount one.
import { execFile, execFileSync } from 'node:child_process';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Room for the write-ahead log and the tables of an hour, and little enough to be filled at once. */
const SIZE = '2g';

export interface Disk {
  fill(): Promise<void>;
  clear(): Promise<void>;
  unmount(): Promise<void>;
}

export const MAY_MOUNT = ((): boolean => {
  try {
    // In a name space of its own, so that nothing is left if this process ends between two steps.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
})();

export async function mountDisk(folder: string): Promise<Disk> {
  await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0711`, 'millrace-chaos', folder]);
  const ballast = join(folder, 'ballast');
  return {
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      // The database takes some of it meanwhile: then this fails, and the disk is as full as it can be.
      await run('fallocate', ['-l', String(bavail * bsize), ballast]).catch(() => undefined);
    },
    clear: () => rm(ballast, { force: true }),
    unmount: async () => void (await run('umount', [folder])),
  };
}
