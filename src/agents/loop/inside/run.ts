// Runs inside of the sandbox, as `files.ts` does: one command in a process group of its own, with a time limit and an end
// of its output that is kept.
import type { CommandEnd } from '../inside-api.ts';

export function runner(root: string) {
  const { spawn } = process.getBuiltinModule('node:child_process');

  return (
    line: readonly [string, ...string[]],
    limits: { timeoutMs: number; headBytes: number; tailBytes: number },
  ): Promise<CommandEnd> =>
    new Promise((resolve) => {
      const [file, ...args] = line;
      const child = spawn(file, args, {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let head = Buffer.alloc(0);
      let tail = Buffer.alloc(0);
      let dropped = 0;
      let isTimedOut = false;
      let isMissing = false;
      const keep = (chunk: Buffer) => {
        const room = Math.max(0, limits.headBytes - head.length);
        head = Buffer.concat([head, chunk.subarray(0, room)]);
        const joined = Buffer.concat([tail, chunk.subarray(room)]);
        tail = joined.subarray(Math.max(0, joined.length - limits.tailBytes));
        dropped += joined.length - tail.length;
      };
      const endGroup = () => {
        try {
          process.kill(-child.pid!, 'SIGKILL');
        } catch {
          // Nothing of it is left.
        }
      };
      const timer = setTimeout(() => {
        isTimedOut = true;
        endGroup();
      }, limits.timeoutMs);
      const done = (exitCode: number | null, signal: string | null) => {
        clearTimeout(timer);
        resolve({
          exitCode,
          signal,
          isTimedOut,
          isMissing,
          head: head.toString('utf8'),
          tail: tail.toString('utf8'),
          dropped,
        });
      };
      child.stdout.on('data', keep);
      child.stderr.on('data', keep);
      child.once('error', () => {
        isMissing = true;
        done(null, null);
      });
      let ended: { code: number | null; signal: string | null } | undefined;
      child.once('exit', (code, signal) => {
        ended = { code, signal };
        endGroup();
        // What left the group may hold the pipes open for ever.
        setTimeout(() => done(code, signal), 500).unref();
      });
      child.once('close', () => ended && done(ended.code, ended.signal));
    });
}
