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
import { processesBelow } from './processes-inside.ts';

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

/** The first process of the outer process namespace: with it all others end. */
function killAll(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const [first] = processesBelow(child.pid);
  try {
    // Its parent waits until the kernel has ended the others, too.
    process.kill(first ?? child.pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
  }
}

const KEPT_ERRORS = 2000;

export async function startBubblewrap(
  request: SandboxRequest,
  world: BubblewrapWorld,
): Promise<SandboxProcess> {
  const prepared = await prepare(request, world);
  const { limits } = prepared;
  const child = prepared.start();
  const over = Promise.withResolvers<Ending>();
  let first: Ending | undefined;
  function endBy(ending: Ending): void {
    first ??= ending;
    killAll(child);
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

  const stopWatch =
    child.pid === undefined
      ? () => undefined
      : watchLimits({
          pid: child.pid,
          limits,
          folders: prepared.written,
          startBytes: prepared.startBytes,
          onLimit: passed,
        });
  const onAbort = () => endBy({ kind: 'cancelled' });
  request.signal?.addEventListener('abort', onAbort, { once: true });
  if (request.signal?.aborted) onAbort();

  async function finish(): Promise<Ending> {
    try {
      await once(child, 'exit');
    } catch (error) {
      await prepared.close();
      return { kind: 'unstartable', message: (error as Error).message };
    } finally {
      stopWatch();
      request.signal?.removeEventListener('abort', onAbort);
    }
    const exitCode = exitCodeOf(await report);
    await prepared.close();
    if (first !== undefined) return first;
    if (exitCode !== undefined) return { kind: 'exited', exitCode };
    return { kind: 'unstartable', message: errors.slice(0, KEPT_ERRORS).trim() };
  }
  finish().then(over.resolve, over.reject);

  return {
    stdin: child.stdin!,
    stdout,
    stderr,
    ended: over.promise,
    refused: () => [...prepared.refused.values()],
    kill: () => endBy({ kind: 'cancelled' }),
  };
}
