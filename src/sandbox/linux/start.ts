// One command in a sandbox of bubblewrap: how it is ended, watched, and what it says of itself.
import { text } from 'node:stream/consumers';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { KILLED, hasEnded, runPrepared } from '../running.ts';
import type { SandboxProcess, SandboxRequest } from '../sandbox.ts';
import { prepare } from './prepare.ts';
import type { BubblewrapWorld } from './prepare.ts';
import { deletedBytes, processesBelow, ticksBelow, usageBelow } from './processes-inside.ts';

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

export async function startBubblewrap(
  request: SandboxRequest,
  world: BubblewrapWorld,
): Promise<SandboxProcess> {
  const { cgroup, ...prepared } = await prepare(request, world);
  return runPrepared(request, {
    ...prepared,
    kill: killAll,
    isGone: ({ pid }) => processesBelow(pid!).length === 0,
    async exitCode(child) {
      const report = await text(child.stdio[3] as Readable).catch(() => '');
      // It was started, and ended without a word: killed from outside, as by a machine without memory.
      return exitCodeOf(report) ?? (report.includes('"child-pid"') ? KILLED : undefined);
    },
    ticks: ({ pid }) => ticksBelow(pid!),
    uses: ({ pid }) => ({
      usage: () => usageBelow(pid!),
      deletedBytes: () => deletedBytes(pid!),
      ...(cgroup && { cgroup }),
    }),
  });
}
