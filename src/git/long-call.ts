// A call of git that may take long and is broken off with all that it has started: a fetch leaves its work to other
// programs, which would write on for a while.
import { spawn } from 'node:child_process';
import { GitError, startOf } from './git.ts';
import type { GitCall } from './git.ts';

const KILL_AFTER_MS = 5000;

const MOST_PRINTED = 1024 * 1024;

/** What it prints, or its failure, when nothing of it runs any more. */
export async function longGit(
  folder: string,
  args: readonly string[],
  { signal, ...call }: Omit<GitCall, 'input'> & { signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted();
  const { words, env } = startOf(args, call);
  const child = spawn('git', words, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (printed.length < MOST_PRINTED) printed += text;
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-8000);
  });
  const end = (how: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, how);
    } catch {
      // It has ended.
    }
  };
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    end('SIGTERM');
    killing = setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT';
        reject(
          isMissing ? new GitError(args, 'git is not installed', { exitCode: undefined }) : error,
        );
      });
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code !== 0) throw new GitError(args, said, { exitCode: code ?? undefined });
    return printed;
  } finally {
    clearTimeout(killing);
    signal.removeEventListener('abort', stop);
  }
}
