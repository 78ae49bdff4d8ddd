// One command of Millrace as a process of its own: what a person would have typed in that project. It ends with the
// runner, also when that is killed.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';

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

/** In place of the words of a command, which come later; `main` knows it. */
const SPARE = '--wait-for-words';

/** Commands of one program. One process is kept loaded: it takes most of the time until a run begins. */
export interface Commands {
  run(
    command: Command,
    options: { signal: AbortSignal; onRun(runId: string): void },
  ): Promise<CommandEnd>;
  close(): void;
}

export function createCommands(
  { file, args }: Program,
  /** What every command may see. */
  env: NodeJS.ProcessEnv,
): Commands {
  let spare: { child: ChildProcess; version: string } | undefined;
  let isClosed = false;

  const start = (words: readonly string[], options: { cwd?: string; env: NodeJS.ProcessEnv }) =>
    spawn(file, [...args, ...words], {
      ...options,
      // A group of its own: ctrl-c at the runner's terminal reaches the runner alone, which decides what to stop.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });

  /** Another one after an update: what is loaded does not go with what is loaded later. */
  function versionNow(): string {
    const { ino, ctimeMs } = statSync(args.at(-1) ?? file);
    return `${ino} ${ctimeMs}`;
  }

  function keepOne(): void {
    if (isClosed || spare !== undefined) return;
    const child = start([SPARE], { env });
    const kept = { child, version: versionNow() };
    spare = kept;
    // It keeps nobody from ending, and ends with the runner.
    child.unref();
    child.channel?.unref();
    const drop = () => {
      if (spare === kept) spare = undefined;
    };
    child.once('error', drop).once('close', drop);
  }

  function takeOne(command: Command): ChildProcess {
    const kept = spare;
    spare = undefined;
    if (kept === undefined) return start(command.args, command);
    if (kept.version !== versionNow() || !kept.child.connected) {
      kept.child.kill('SIGKILL');
      return start(command.args, command);
    }
    kept.child.removeAllListeners('close').removeAllListeners('error');
    kept.child.ref();
    kept.child.channel?.ref();
    // Should it end right now, its end says so.
    kept.child.send(command, () => undefined);
    return kept.child;
  }

  keepOne();
  return {
    run: (command, options) =>
      follow(takeOne(command), {
        ...options,
        onRun(runId) {
          options.onRun(runId);
          keepOne();
        },
      }).finally(keepOne),
    close() {
      isClosed = true;
      spare?.child.kill('SIGKILL');
    },
  };
}

function follow(
  child: ChildProcess,
  { signal, onRun }: { signal: AbortSignal; onRun(runId: string): void },
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
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
