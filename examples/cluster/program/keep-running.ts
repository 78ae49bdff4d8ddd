// A program that is started again when it ends, as a service manager would do it. What it says goes to a file.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** What it is to run as; without it, as whoever started the cluster. */
  user?: { uid: number; gid: number } | undefined;
}

export interface Kept {
  name: string;
  /** Ends it for good. */
  stop(): Promise<void>;
}

const PAUSE_MS = 500;
/** Longer than any node takes to drain. */
const STOP_MS = 60_000;

export function pidFileOf(folder: string, name: string): string {
  return join(folder, `${name}.pid`);
}

/** As long as there is such a file, the program is not started again. */
export function holdFileOf(folder: string, name: string): string {
  return join(folder, `${name}.hold`);
}

export function logFileOf(folder: string, name: string): string {
  return join(folder, `${name}.log`);
}

export function keepRunning(folder: string, program: Program): Kept {
  const { name, command, args, env, user } = program;
  let child: ChildProcess | undefined;
  let isStopping = false;

  function startOnce(): Promise<void> {
    const log = openSync(logFileOf(folder, name), 'a', 0o600);
    // Its own group: ctrl-c reaches this process alone, which stops the others in order.
    const own = spawn(command, args, {
      env,
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      ...user,
    });
    closeSync(log);
    child = own;
    writeFileSync(pidFileOf(folder, name), String(own.pid ?? ''));
    return new Promise((resolve) => {
      own.once('error', (error) => {
        console.error(`Could not start ${name}: ${error.message}`);
        resolve();
      });
      own.once('exit', () => resolve());
    });
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      if (!existsSync(holdFileOf(folder, name))) await startOnce();
      if (!isStopping) await delay(PAUSE_MS);
    }
  }

  const ended = loop();
  return {
    name,
    async stop() {
      isStopping = true;
      child?.kill('SIGTERM');
      const late = setTimeout(() => child?.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}
