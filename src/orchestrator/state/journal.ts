// The journal of a run: one line an event, on disk before anything that depends on it is done.
// Lines that come together are written and synced together.
import { closeSync, fdatasync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import { readEventLine } from './event-line.ts';
import { StateDamagedError } from './state-errors.ts';
import { makeFolder } from '../../platform/make-folder.ts';

const sync = promisify(fdatasync);

export interface Journal {
  /** Numbered and on its way to disk; `settled` says when it is there. */
  append(event: RunEventBody): RunEvent;
  /** Resolves once everything appended so far survives a crash. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Events up to the first line that is not whole: a crash can cut the last ones off. Whole lines
 * behind a broken one mean that the journal was damaged, and nobody may go by the rest of it.
 */
export async function readJournal(file: string): Promise<{ events: RunEvent[]; bytes: number }> {
  const data = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const events: RunEvent[] = [];
  let bytes = 0;
  for (let end = data.indexOf(10, bytes); end >= 0; end = data.indexOf(10, bytes)) {
    const event = readEventLine(data.toString('utf8', bytes, end));
    if (event === undefined) {
      checkTail(file, data.subarray(end + 1), events.length + 1);
      break;
    }
    events.push(event);
    bytes = end + 1;
  }
  return { events, bytes };
}

function checkTail(file: string, rest: Buffer, lineNumber: number): void {
  const lines = rest.toString('utf8').split('\n');
  if (lines.every((line) => readEventLine(line) === undefined)) return;
  throw new StateDamagedError(file, `line ${lineNumber} is not an event of a run`);
}

export async function openJournal(
  file: string,
  options: { now(): Date; from: { seq: number; bytes: number } },
): Promise<Journal> {
  makeFolder(dirname(file));
  const fd = openSync(file, 'a');
  // What a crash cut off in the middle must not run into the next line.
  ftruncateSync(fd, options.from.bytes);
  let { seq } = options.from;
  const waiting: string[] = [];
  /** The write that is under way, or the last one. */
  let current: Promise<void> = Promise.resolve();
  /** The one after it: it takes along whatever has come until it begins. */
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    writeFileSync(fd, waiting.splice(0).join(''));
    await sync(fd);
  }

  // Nobody waits for what others append later; and after a write that failed none succeeds, or lines
  // would be missing in the middle.
  async function settled(): Promise<void> {
    if (waiting.length === 0) return current;
    next ??= current.then(() => {
      next = undefined;
      current = write();
      return current;
    });
    return next;
  }

  return {
    append(body) {
      seq += 1;
      const event: RunEvent = { v: 1, seq, ts: options.now().toISOString(), ...body };
      waiting.push(`${JSON.stringify(event)}\n`);
      return event;
    },
    settled,
    async close() {
      try {
        await settled();
      } finally {
        closeSync(fd);
      }
    },
  };
}
