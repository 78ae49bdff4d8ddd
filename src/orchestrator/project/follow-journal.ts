// The events of a run as its process writes them down.
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isAfterEnd, isRunEnd } from '../../domain/run/events.ts';
import type { RunEvent } from '../../contract/run-events.ts';
import { readEventLine } from '../state/event-line.ts';

const POLL_MS = 100;
const CHUNK = 256 * 1024;

export interface FollowOptions {
  signal: AbortSignal;
  /** Whether there is a process that may write more. */
  isAlive(): boolean;
}

/** Whole lines from the start; over with the run, or with the process that ran it. */
export async function* followJournal(
  file: string,
  { signal, isAlive }: FollowOptions,
): AsyncGenerator<RunEvent> {
  let at = 0;
  let hasEnded = false;
  const buffer = Buffer.alloc(CHUNK);
  let rest = Buffer.alloc(0);
  while (!signal.aborted) {
    // Asked before reading: what was written until then is seen.
    const mayGrow = isAlive();
    const handle = await open(file, 'r');
    try {
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, at);
        if (bytesRead === 0) break;
        at += bytesRead;
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          const event = readEventLine(rest.toString('utf8', 0, end));
          rest = rest.subarray(end + 1);
          if (event === undefined) continue;
          if (!isAfterEnd(event)) hasEnded = isRunEnd(event);
          yield event;
        }
      }
    } finally {
      await handle.close();
    }
    if (hasEnded || !mayGrow) return;
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
