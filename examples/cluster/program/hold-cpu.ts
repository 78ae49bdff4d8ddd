// Holds processes to a share of a core by a control group, or to one core, so that on one machine it is known what is
// short. The former needs root.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pidsBelow } from '../../../bench/harness/process-cpu.ts';

/** The kernel hands out 5 ms at a time to each core: of a shorter period, much would be lost. */
const PERIOD_US = 100_000;
const SECOND_VERSION = existsSync('/sys/fs/cgroup/cgroup.controllers');
const PARENT = SECOND_VERSION ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu';

export interface HeldProcesses {
  release(): void;
}

function move(pids: readonly number[], folder: string): void {
  for (const pid of pids) {
    try {
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    } catch (error) {
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** `cores` of one core for the process and its children together. Throws where that is not allowed. */
export function holdTo(pid: number, cores: number): HeldProcesses {
  const folder = join(PARENT, `millrace-measure-${pid}`);
  mkdirSync(folder);
  const quotaUs = Math.round(cores * PERIOD_US);
  if (SECOND_VERSION) writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
  else {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
  }
  // What they start later is held with them.
  move(pidsBelow(pid), folder);
  return {
    release() {
      const held = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
      move(held.map(Number), PARENT);
      rmdirSync(folder);
    },
  };
}

/** All processes below these, and what they start later, on this core alone. */
export function pinTo(pids: readonly number[], core: string): void {
  for (const pid of pids.flatMap(pidsBelow)) {
    try {
      execFileSync('taskset', ['-acp', core, String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    } catch (error) {
      // It has ended meanwhile.
      if (!/No such process/.test(String((error as { stderr?: Buffer }).stderr))) throw error;
    }
  }
}

export function mayHold(): boolean {
  try {
    const folder = join(PARENT, `millrace-measure-${process.pid}`);
    mkdirSync(folder);
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
