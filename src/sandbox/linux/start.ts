// One command in a sandbox of bubblewrap, from its start to the end of its last process.
import { once } from 'node:events';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { limitText } from '../limits.ts';
import type { LimitName } from '../limits.ts';
import type { Ending, SandboxProcess, SandboxRequest } from '../sandbox.ts';
import { watchLimits } from '../watch.ts';
import { prepare } from './prepare.ts';
import type { BubblewrapWorld } from './prepare.ts';
import { processesBelow, ticksBelow } from './processes-inside.ts';

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

/** What bubblewrap reported: lines of JSON, the last of them with the exit code when the command ran. */
function exitCodeOf(report: string): number | undefined {
  for (const line of report.split('\n').toReversed()) {
    if (line === '') continue;
    try {
      const { 'exit-code': exitCode } = JSON.parse(line) as { 'exit-code'?: number };
      if (exitCode !== undefined) return exitCode;
    } catch {
      // Cut off when it was ended.
    }
  }
  return undefined;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

/**
 * The first process of the outer process namespace: with it all others end. While the chain is still being started it may
 * be another one, which ends by itself meanwhile; so this is repeated until the chain has ended.
 */
function killAll(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return;
  const [first] = processesBelow(child.pid);
  try {
    // Its parent waits until the kernel has ended the others, too.
    process.kill(first ?? child.pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

const GONE_MS = 5000;
const AGAIN_MS = 50;

/** Waits in this thread: for a process that ends and comes back to no event. */
function endNow(child: ChildProcess): boolean {
  const { pid } = child;
  if (pid === undefined) return true;
  const deadline = performance.now() + GONE_MS;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  do {
    killAll(child);
    if (processesBelow(pid).length === 0) return true;
    Atomics.wait(clock, 0, 0, 5);
  } while (performance.now() < deadline);
  return false;
}

const KEPT_ERRORS = 2000;
/** As a shell says it of the signal that cannot be caught. */
const KILLED = 128 + 9;

export async function startBubblewrap(
  request: SandboxRequest,
  world: BubblewrapWorld,
): Promise<SandboxProcess> {
  const prepared = await prepare(request, world);
  const { limits } = prepared;
  const child = prepared.start();
  const over = Promise.withResolvers<Ending>();
  let first: Ending | undefined;
  let again: NodeJS.Timeout | undefined;
  function endBy(ending: Ending): void {
    first ??= ending;
    killAll(child);
    if (hasEnded(child)) return;
    again ??= setInterval(() => killAll(child), AGAIN_MS);
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
  const report = text(child.stdio[3] as Readable).catch(() => '');

  const watch =
    child.pid === undefined
      ? undefined
      : watchLimits({
          pid: child.pid,
          limits,
          folders: prepared.written,
          startBytes: prepared.startBytes,
          ...(prepared.cgroup && { cgroup: prepared.cgroup }),
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
    const reported = await report;
    const exitCode = exitCodeOf(reported);
    const limit = watch?.stop();
    if (limit !== undefined) passed(limit);
    await prepared.close();
    if (first !== undefined) return first;
    if (exitCode !== undefined) return { kind: 'exited', exitCode };
    const message = errors.slice(0, KEPT_ERRORS).trim();
    // What cannot be started says why; one that says nothing was killed from outside, as by a machine without memory.
    const wasKilled = reported.includes('"child-pid"') || message === '';
    return wasKilled ? { kind: 'exited', exitCode: KILLED } : { kind: 'unstartable', message };
  }
  finish().then(over.resolve, over.reject);

  return {
    stdin: child.stdin!,
    stdout,
    stderr,
    ended: over.promise,
    ticks: () => (child.pid === undefined || hasEnded(child) ? 0 : ticksBelow(child.pid)),
    refused: () => [...prepared.refused.values()],
    kill: () => endBy({ kind: 'cancelled' }),
    killNow() {
      endBy({ kind: 'cancelled' });
      return endNow(child);
    },
  };
}
