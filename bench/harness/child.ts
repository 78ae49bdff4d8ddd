// Child processes that answer questions over IPC.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Child {
  process: ChildProcess;
  /** Sends `message` and resolves with the field `answer` of the next reply that has it. */
  ask<T>(message: object, answer: string): Promise<T>;
  waitFor<T>(answer: string): Promise<T>;
  stop(): Promise<void>;
}

export function startChild(file: string, env: NodeJS.ProcessEnv = {}, args: string[] = []): Child {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waitFor = <T>(answer: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const onMessage = (message: Record<string, unknown>) => {
        if (!(answer in message)) return;
        done();
        resolve(message[answer] as T);
      };
      const onExit = (code: number | null) => {
        done();
        reject(new Error(`${file} ended with ${code} before it said "${answer}"`));
      };
      const done = () => {
        child.off('message', onMessage);
        child.off('exit', onExit);
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
    });
  return {
    process: child,
    waitFor,
    async ask<T>(message: object, answer: string) {
      const reply = waitFor<T>(answer);
      child.send(message);
      return reply;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      if (child.connected) child.send({ ask: 'stop' });
      else child.kill('SIGTERM');
      await ended;
    },
  };
}
