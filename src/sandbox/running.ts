// One command in a sandbox, from its start to the end of its last process, whatever the walls are made of.
import { once } from 'node:events';
import { Transform } from 'node:stream';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { limitText } from './limits.ts';
import type { LimitName, Limits } from './limits.ts';
import type { RefusedHost } from './network/policy.ts';
import type { Ending, SandboxProcess, SandboxRequest } from './sandbox.ts';
import { watchLimits } from './watch.ts';
import type { Watched } from './watch.ts';

/** All that a command needs is there; it starts next. */
export interface Prepared {
  limits: Limits;
  /** What the process can write to. */
  written: readonly string[];
  startBytes: number;
  refused: ReadonlyMap<string, RefusedHost>;
  start(): ChildProcess;
  /** Ends whatever is still there of it. */
  kill(child: ChildProcess): void;
  isGone(child: ChildProcess): boolean;
  /** Of the command; undefined where it did not start. Asked at once, while the child runs. */
  exitCode(child: ChildProcess): Promise<number | undefined>;
  /** Time of the processor that is used by now. */
  ticks(child: ChildProcess): number;
  uses(child: ChildProcess): Pick<Watched, 'usage' | 'deletedBytes' | 'cgroup'>;
  /** When nothing of it is left. */
  close(): Promise<void>;
}

/** Counts what passes; what is more than the limit is dropped. */
function counted(stream: Readable, onBytes: (bytes: number) => boolean): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, onBytes(chunk.length) ? chunk : undefined);
    },
  });
  stream.on('error', () => counter.end());
  return stream.pipe(counter);
}

export const hasEnded = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null;

const GONE_MS = 5000;
const AGAIN_MS = 50;

/** Waits in this thread: for a process that ends and comes back to no event. */
function endNow(child: ChildProcess, prepared: Prepared): boolean {
  if (child.pid === undefined) return true;
  const deadline = performance.now() + GONE_MS;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  do {
    prepared.kill(child);
    if (prepared.isGone(child)) return true;
    Atomics.wait(clock, 0, 0, 5);
  } while (performance.now() < deadline);
  return false;
}

/** As a shell says it of the signal that cannot be caught. */
export const KILLED = 128 + 9;
const KEPT_ERRORS = 2000;

export function runPrepared(request: SandboxRequest, prepared: Prepared): SandboxProcess {
  const { limits } = prepared;
  const child = prepared.start();
  const over = Promise.withResolvers<Ending>();
  let first: Ending | undefined;
  let again: NodeJS.Timeout | undefined;
  function endBy(ending: Ending): void {
    first ??= ending;
    prepared.kill(child);
    if (hasEnded(child)) return;
    again ??= setInterval(() => prepared.kill(child), AGAIN_MS);
  }
  const passed = (limit: LimitName) =>
    endBy({ kind: 'limit', limit, text: limitText(limit, limits) });

  let printed = 0;
  const onBytes = (bytes: number) => {
    printed += bytes;
    if (printed > limits.outputBytes) passed('output');
    return printed <= limits.outputBytes;
  };
  const stdout = counted(child.stdout!, onBytes);
  const stderr = counted(child.stderr!, onBytes);
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    if (errors.length < KEPT_ERRORS) errors += chunk.toString();
  });
  child.stdin!.on('error', () => undefined);
  const exited = prepared.exitCode(child);

  const watch =
    child.pid === undefined
      ? undefined
      : watchLimits({
          limits,
          folders: prepared.written,
          startBytes: prepared.startBytes,
          ...prepared.uses(child),
          onLimit: passed,
        });
  const onAbort = () => endBy({ kind: 'cancelled' });
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();

  async function finish(): Promise<Ending> {
    try {
      await once(child, 'exit');
    } catch (error) {
      watch?.stop();
      await prepared.close();
      return { kind: 'unstartable', message: (error as Error).message };
    } finally {
      request.signal?.removeEventListener('abort', onAbort);
    }
    clearInterval(again);
    const exitCode = await exited;
    const limit = watch?.stop();
    if (limit !== undefined) passed(limit);
    await prepared.close();
    if (first !== undefined) return first;
    if (exitCode !== undefined) return { kind: 'exited', exitCode };
    const message = errors.slice(0, KEPT_ERRORS).trim();
    // What cannot be started says why; one that says nothing was killed from outside.
    return message === '' ? { kind: 'exited', exitCode: KILLED } : { kind: 'unstartable', message };
  }
  finish().then(over.resolve, over.reject);

  return {
    stdin: child.stdin!,
    stdout,
    stderr,
    ended: over.promise,
    ticks: () => (child.pid === undefined || hasEnded(child) ? 0 : prepared.ticks(child)),
    refused: () => [...prepared.refused.values()],
    kill: () => endBy({ kind: 'cancelled' }),
    killNow() {
      endBy({ kind: 'cancelled' });
      return endNow(child, prepared);
    },
  };
}
