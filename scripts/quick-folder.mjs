// Where the temporary files of the tests are: in memory, if the machine has plenty. They make and remove
// some hundred thousand small files, mostly of databases, which takes a disk several times as long.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const GIB = 1024 ** 3;
/** The suite has about 1 GiB of files at a time, and its processes need memory, too. */
const ROOM = 3 * GIB;
const MEMORY = 6 * GIB;

/** A container may have it without leave to run what is in it. */
function runsPrograms(folder) {
  const script = join(folder, 'program');
  writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return spawnSync(script).status === 0;
}

export function quickFolder() {
  if (process.platform !== 'linux' || process.env.TMPDIR !== undefined) return undefined;
  let trial;
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    if (bavail * bsize < ROOM || process.availableMemory() < MEMORY) return undefined;
    trial = mkdtempSync(join(IN_MEMORY, 'millrace-trial-'));
    return runsPrograms(trial) ? IN_MEMORY : undefined;
  } catch {
    return undefined;
  } finally {
    if (trial !== undefined) rmSync(trial, { recursive: true, force: true });
  }
}
