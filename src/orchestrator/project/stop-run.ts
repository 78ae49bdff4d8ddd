// Stops the run that another process is at work on, as ctrl-c in its terminal would.
import { setTimeout as delay } from 'node:timers/promises';
import { OrchestratorError } from '../errors.ts';
import { findLockHolder, isHolderAlive } from '../state/lock.ts';
import type { LockHolder } from '../state/lock.ts';
import { findRun, stateOfRun } from './find-run.ts';
import type { FoundRun, RunState } from './find-run.ts';

export interface StopOptions {
  /** Does not wait for it to finish in order. */
  force: boolean;
  signal: AbortSignal;
  /** Before it is waited for. */
  onStopping(pid: number): void;
}

export interface StoppedRun {
  /** Undefined when it was stopped before it had one. */
  run: FoundRun | undefined;
  state: RunState | undefined;
  pid: number;
}

const POLL_MS = 50;

function notRunning(runId: string, state: string): OrchestratorError {
  const word = state === 'cancelled' ? 'stopped' : state;
  const message = `${runId} is not running (${word}).`;
  return new OrchestratorError({ code: 'RUN_NOT_RUNNING', message, items: [runId] });
}

/** The process of the run; the lock distinguishes it from a later process that got the same number. */
async function holderOf(stateDir: string, asked: string | undefined): Promise<LockHolder> {
  const holder = findLockHolder(stateDir);
  const isRun = holder !== undefined && holder.work === undefined;
  if (asked === undefined && isRun) return holder;
  const run = await findRun(stateDir, asked);
  if (isRun && (holder.runId === run.runId || holder.runId === 'starting')) return holder;
  throw notRunning(run.runId, stateOfRun(stateDir, run));
}

export async function stopRun(
  { stateDir }: { stateDir: string },
  asked: string | undefined,
  { force, signal, onStopping }: StopOptions,
): Promise<StoppedRun> {
  const holder = await holderOf(stateDir, asked);
  const { pid } = holder;
  let { runId } = holder;
  send(pid, force ? 'SIGKILL' : 'SIGINT');
  onStopping(pid);
  while (isHolderAlive(holder)) {
    const now = findLockHolder(stateDir);
    // It may come to know its run only now.
    if (now?.pid === pid) runId = now.runId;
    await delay(POLL_MS, undefined, { signal });
  }
  if (runId === 'starting') return { run: undefined, state: undefined, pid };
  const run = await findRun(stateDir, runId);
  return { run, state: stateOfRun(stateDir, run), pid };
}

function send(pid: number, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Gone a moment ago: that is what was wanted.
    if (code === 'ESRCH') return;
    const why = code === 'EPERM' ? 'it belongs to another user' : (error as Error).message;
    throw new OrchestratorError({
      code: 'NOT_STOPPED',
      message: `Process ${pid} cannot be stopped: ${why}.`,
      hint: 'Stop it as the user who started it.',
    });
  }
}
