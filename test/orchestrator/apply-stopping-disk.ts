// A real disk on which the world stops at the n-th change. A file that is being written then is left
// half written, and nothing works afterwards, as if the process were gone. Syncs are counted but not
// done: what the kernel has been told is not lost by this kind of crash, and they take time.
import { chmodSync, writeFileSync } from 'node:fs';
import { realDisk } from '../../src/orchestrator/apply/disk.ts';
import type { Disk } from '../../src/orchestrator/apply/disk.ts';

export class Crash extends Error {}

export interface StoppingDisk {
  disk: Disk;
  /** How many changes were made or begun. */
  changes(): number;
}

export function createStoppingDisk(allowed = Infinity): StoppingDisk {
  let made = 0;
  const alive = () => {
    if (made > allowed) throw new Crash('stopped');
  };
  /** True when this is the change during which it stops. */
  const begin = () => {
    alive();
    made += 1;
    return made > allowed;
  };
  async function change(work: () => Promise<void>): Promise<void> {
    if (begin()) throw new Crash('stopped');
    await work();
  }
  async function look<T>(work: () => Promise<T>): Promise<T> {
    alive();
    return work();
  }
  return {
    changes: () => made,
    disk: {
      look: (path) => look(() => realDisk.look(path)),
      read: (path) => look(() => realDisk.read(path)),
      list: (path) => look(() => realDisk.list(path)),
      openFolder: (path) => look(() => realDisk.openFolder(path)),
      makeFolder: (path) => change(() => realDisk.makeFolder(path)),
      async writeNew(path, data, mode) {
        const stops = begin();
        const half = data.subarray(0, data.length >> 1);
        writeFileSync(path, stops ? half : data, { flag: 'wx', mode: 0o600 });
        if (stops) throw new Crash('stopped');
        chmodSync(path, mode);
      },
      rename: (from, to) => change(() => realDisk.rename(from, to)),
      removeFile: (path) => change(() => realDisk.removeFile(path)),
      removeFolder: (path) => change(() => realDisk.removeFolder(path)),
      syncFolder: () => change(async () => {}),
    },
  };
}
