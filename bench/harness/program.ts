// Programs that are no children of ours to talk to: started, waited for, stopped, never left behind.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export interface Program {
  pid: number;
  /** Settles when it accepts connections there; rejects when it ends before. */
  untilListening(port: number): Promise<void>;
  /** Its first line of output; only with `reads`. */
  firstLine(): Promise<string>;
  stop(): Promise<void>;
}

const READY_MS = 60_000;
const STOP_MS = 15_000;
const COMPLAINTS_LENGTH = 4000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM');
});

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

export function startProgram(
  command: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; reads?: boolean } = {},
): Program {
  const { env = {}, cwd, reads = false } = options;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', reads ? 'pipe' : 'ignore', 'pipe'],
  });
  // Some say a lot at each start and stop; it matters only when they do not come up.
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-COMPLAINTS_LENGTH);
  });
  const endedEarly = () => new Error(`${command} ended before it was ready: ${complaints}`);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  running.add(child);
  void ended.then(() => running.delete(child));
  return {
    pid: child.pid ?? 0,
    async untilListening(port) {
      const giveUpAt = Date.now() + READY_MS;
      while (!(await isListening(port))) {
        if (!running.has(child)) throw endedEarly();
        if (Date.now() > giveUpAt) throw new Error(`${command} does not listen on ${port}`);
        await pause(20);
      }
    },
    async firstLine() {
      const lines = createInterface({ input: child.stdout! });
      const line = once(lines, 'line') as Promise<[string]>;
      const [text] = await Promise.race([line, ended.then(() => Promise.reject(endedEarly()))]);
      return text;
    },
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
