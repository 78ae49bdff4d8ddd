// One command of Millrace as a process of its own: what a person would have typed in that project. It ends with the
// runner, also when that is killed.
import { spawn } from 'node:child_process';

export interface Command {
  /** Words after the name of the command. */
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
}

export interface CommandEnd {
  /** Null: it was killed. */
  exitCode: number | null;
  /** The end of what it said. */
  said: string;
}

const MOST_SAID = 8000;
/** From the first word to stop to the last one. */
const STOP_MS = 60_000;

/** How the command line is started here. */
export interface Program {
  file: string;
  args: readonly string[];
}

export function runCommand(
  { file, args }: Program,
  command: Command,
  { signal, onRun }: { signal: AbortSignal; onRun(runId: string): void },
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...args, ...command.args], {
      cwd: command.cwd,
      env: command.env,
      // A group of its own: ctrl-c at the runner's terminal reaches the runner alone, which decides what to stop.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let said = '';
    const add = (text: string) => (said = (said + text).slice(-2 * MOST_SAID));
    child.stdout!.setEncoding('utf8').on('data', add);
    child.stderr!.setEncoding('utf8').on('data', add);
    child.on('message', (message) => {
      const { runId } = message as { runId?: unknown };
      if (typeof runId === 'string') onRun(runId);
    });
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGINT');
      killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.once('close', (exitCode) => {
      clearTimeout(killing);
      signal.removeEventListener('abort', stop);
      resolve({ exitCode, said: said.slice(-MOST_SAID).trim() });
    });
  });
}
