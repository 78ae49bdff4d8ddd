// The journal of a run: one line an event, on disk before anything that depends on it is done.
// Lines that come together are written and synced together.
import { mkdirSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RunEvent, RunEventBody } from '../../domain/run/events.ts';

export interface Journal {
  /** Numbered and on its way to disk; `settled` says when it is there. */
  append(event: RunEventBody): RunEvent;
  /** Resolves once everything appended so far survives a crash. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Events up to the first line that is not whole: a crash can cut the last one off. */
export async function readJournal(file: string): Promise<{ events: RunEvent[]; bytes: number }> {
  const data = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const events: RunEvent[] = [];
  let bytes = 0;
  for (let end = data.indexOf(10, bytes); end >= 0; end = data.indexOf(10, bytes)) {
    const event = parseLine(data.toString('utf8', bytes, end));
    if (event === undefined) break;
    events.push(event);
    bytes = end + 1;
  }
  return { events, bytes };
}

function parseLine(line: string): RunEvent | undefined {
  try {
    return JSON.parse(line) as RunEvent;
  } catch {
    return undefined;
  }
}

export async function openJournal(
  file: string,
  options: { now(): Date; from: { seq: number; bytes: number } },
): Promise<Journal> {
  mkdirSync(dirname(file), { recursive: true });
  const handle = await open(file, 'a');
  // What a crash cut off in the middle must not run into the next line.
  await handle.truncate(options.from.bytes);
  let { seq } = options.from;
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const lines = waiting.splice(0).join('');
      await handle.appendFile(lines);
      await handle.datasync();
    }
    writing = undefined;
  }

  return {
    append(body) {
      seq += 1;
      const event: RunEvent = { v: 1, seq, ts: options.now().toISOString(), ...body };
      waiting.push(`${JSON.stringify(event)}\n`);
      return event;
    },
    async settled() {
      // Whoever asks while a write is on its way waits for the one after it, too.
      while (waiting.length > 0 || writing) await (writing ??= writeAll());
    },
    async close() {
      while (waiting.length > 0 || writing) await (writing ??= writeAll());
      await handle.close();
    },
  };
}
