// The processes of one command: started together, and ended together.
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { Readable } from 'node:stream';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { commandEnv } from './command-env.ts';
import { GRACE_MS, endTree, killTree, treeOf } from './process-tree.ts';
import { hasReaper, reaperArguments } from './reaper.ts';

export interface Exit {
  exitCode: number | null;
  signal: string | null;
  /** The limit of the sandbox that it passed, as a sentence. */
  limit?: string;
}

export interface CommandProcess {
  outputs: readonly Readable[];
  /** How the command itself ended; what it left running may still be there. */
  exited: Promise<Exit>;
  /** Ends all that is left of it; false when something would not go. */
  end(): Promise<boolean>;
  /** The same at once and without waiting: for a process that is about to end itself. */
  kill(): void;
  /** Sentences for the end of its output, once it has ended. */
  notes?(): string[];
}

const SIGNALS: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
};

/** A status as `wait` reports it. */
function exitOf(status: number): Exit {
  const signal = status & 127;
  if (signal === 0) return { exitCode: status >> 8, signal: null };
  return { exitCode: null, signal: SIGNALS[signal] ?? `signal ${signal}` };
}

export function optionsFor(root: string, env: NodeJS.ProcessEnv, mark: string) {
  return {
    cwd: root,
    env: commandEnv(env, mark),
    // A group of its own: what is meant for the command must not reach us, nor the other way round.
    detached: process.platform !== 'win32',
    windowsHide: true,
  };
}

function spawnShell(command: string, options: StartOptions): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  if (process.platform === 'win32') {
    const line = ['/d', '/s', '/c', `"${command}"`];
    return spawn('cmd.exe', line, { ...options, stdio, windowsVerbatimArguments: true });
  }
  // Both streams into one pipe, so that an error stands where it happened.
  const line = ['-c', 'exec /bin/sh -c "$1" 2>&1', 'sh', command];
  return spawn('/bin/sh', line, { ...options, stdio });
}

export function startCommand(
  command: string,
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
): CommandProcess {
  const mark = randomUUID();
  const options = optionsFor(root, env, mark);
  return hasReaper() ? startReaped(command, options, mark) : startPlain(command, options, mark);
}

export type StartOptions = ReturnType<typeof optionsFor>;

const outputsOf = ({ stdout, stderr }: ChildProcess) =>
  [stdout, stderr].filter((stream) => stream !== null);

async function exitOfChild(child: ChildProcess): Promise<Exit> {
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return { exitCode, signal };
}

/** Where there is no reaper. */
export function startPlain(command: string, options: StartOptions, mark: string): CommandProcess {
  const child = spawnShell(command, options);
  const tree = child.pid === undefined ? undefined : treeOf(child.pid, mark);
  return {
    outputs: outputsOf(child),
    exited: exitOfChild(child),
    end: async () => tree === undefined || endTree(tree),
    kill: () => tree && killTree(tree),
  };
}

/** How often the reaper is asked again: a signal between two of its steps can get lost. */
const ASK_EVERY_MS = 250;
const PATIENCE_MS = 2 * GRACE_MS;

function startReaped(command: string, options: StartOptions, mark: string): CommandProcess {
  const [file, line] = reaperArguments(command, GRACE_MS / 1000);
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', 'pipe'];
  const child = spawn(file, line, { ...options, stdio });
  const gone = exitOfChild(child);
  // Callers that need them await both; the child itself reports a start that fails.
  gone.catch(() => undefined);
  const exited = reported(child, gone);
  // Should the command have ended the reaper itself, its own mark is still on what it left.
  const tree = child.pid === undefined ? undefined : treeOf(child.pid, mark);
  return {
    outputs: outputsOf(child),
    exited,
    async end() {
      const timer = setInterval(() => child.kill('SIGTERM'), ASK_EVERY_MS);
      child.kill('SIGTERM');
      const patience = new AbortController();
      await Promise.race([gone, delay(PATIENCE_MS, null, patience)]);
      clearInterval(timer);
      patience.abort();
      // It leaves when nothing is left; unless the command ended it first.
      return child.exitCode === 0 || tree === undefined || endTree(tree);
    },
    kill() {
      child.kill('SIGINT');
    },
  };
}

async function reported(child: ChildProcess, gone: Promise<Exit>): Promise<Exit> {
  const stream = child.stdio[3] as NodeJS.ReadableStream;
  const status = await text(stream).catch(() => '');
  // It was ended before it could say.
  return /^\d+\n$/.test(status) ? exitOf(Number(status)) : gone;
}
