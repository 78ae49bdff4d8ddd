// One run at a time in a project. The lock is a file with the process that holds it; one whose
// holder is gone is taken over.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../platform/make-folder.ts';

const Holder = z.object({
  pid: z.int().min(1),
  /** Distinguishes a process from a later one with the same number. */
  startedAt: z.string().min(1),
  runId: z.string(),
  /** What it is at work on, when that is not the run itself. */
  work: z.enum(['apply', 'revert', 'review']).optional(),
});
export type LockHolder = z.infer<typeof Holder>;

export class RunLockedError extends Error {
  readonly holder: LockHolder;
  constructor(holder: LockHolder) {
    const what = holder.work === undefined ? 'Another run' : `Another ${holder.work}`;
    super(`${what} (${holder.runId}, process ${holder.pid}) is running in this project.`);
    this.name = 'RunLockedError';
    this.holder = holder;
  }
}

/** When a process was started, in the words of the kernel; empty when there is none. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Ended, and nobody has asked for its exit code: where no init does that, it stays so.
    if (fields[0] === 'Z') return '';
    return `${boot}:${fields[19] ?? ''}`;
  } catch {
    return isAlive(pid) ? 'alive' : '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readHolder(file: string): LockHolder | undefined {
  try {
    return Holder.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Whether the process is there, and not a later one with the same number. */
export function isHolderAlive({ pid, startedAt }: LockHolder): boolean {
  return startTimeOf(pid) === startedAt;
}

/** The process that is at work in this project, if there is one. */
export function findLockHolder(stateDir: string): LockHolder | undefined {
  const holder = readHolder(join(stateDir, 'lock'));
  return holder && isHolderAlive(holder) ? holder : undefined;
}

/** Takes a dead holder's lock away; one that another process took meanwhile is put back. */
function moveAway(file: string, aside: string): void {
  try {
    renameSync(file, aside);
    const taken = readHolder(aside);
    if (taken && isHolderAlive(taken)) linkSync(aside, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

export interface Lock {
  /** Says which run it is, once that is known. */
  name(runId: string): void;
  release(): void;
}

export function takeLock(stateDir: string, runId: string, work?: LockHolder['work']): Lock {
  makeFolder(stateDir);
  const file = join(stateDir, 'lock');
  const mine: LockHolder = {
    pid: process.pid,
    startedAt: startTimeOf(process.pid),
    runId,
    ...(work && { work }),
  };
  // Linked into place: the file is never there without what is in it.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(mine));
  try {
    for (;;) {
      try {
        linkSync(draft, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = findLockHolder(stateDir);
      if (holder !== undefined) throw new RunLockedError(holder);
      moveAway(file, `${draft}.old`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    name(known) {
      writeFileSync(draft, JSON.stringify({ ...mine, runId: known }));
      renameSync(draft, file);
    },
    release() {
      if (readHolder(file)?.startedAt === mine.startedAt) rmSync(file, { force: true });
    },
  };
}
