// Text of running jobs between the workers that write it and the readers that follow it. Readers
// on this node get every delta at once from memory; for readers on other nodes the new text of all
// jobs is written to the table together, four times a second (the first of a job almost right away).
import type { Queryable } from '../postgres/db.ts';
import { insertText } from './streamed-text.ts';
import type { Signals } from '../postgres/signals.ts';

export interface TextFeed {
  append(jobId: string, generation: number, delta: string): void;
  /** Writes no more of a job's text; resolves when none is on its way to the table any more. */
  settle(jobId: string): Promise<void>;
  /** Forgets a job: it ended, or another node has it. */
  end(jobId: string): void;
  /** All text of a job that runs on this node. */
  current(jobId: string): { generation: number; text: string } | undefined;
  /** Calls `handler` after each delta of a job that runs on this node. */
  follow(jobId: string, handler: () => void): () => void;
  close(): Promise<void>;
}

const FLUSH_MS = 250;
/** The whole answer of a short job comes at once: its end writes it, and this need not. */
const FIRST_FLUSH_MS = 3;

interface Live {
  generation: number;
  text: string;
  written: number;
}

export function createTextFeed(deps: {
  db: Queryable;
  signals: Signals;
  onError(error: unknown): void;
}): TextFeed {
  const live = new Map<string, Live>();
  const dirty = new Set<string>();
  const writing = new Set<string>();
  const followers = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  /** What the timer was set to: a new first text does not wait for a long one, nor put a short one off. */
  let dueMs = 0;
  let flushing: Promise<void> | undefined;

  /** A gap in the table would give readers on other nodes wrong positions for all that follows. */
  function writeAgain(jobId: string, generation: number, offset: number): void {
    const job = live.get(jobId);
    if (job === undefined || job.generation !== generation) return;
    job.written = offset;
    dirty.add(jobId);
  }

  async function flush(): Promise<void> {
    const chunks = [];
    for (const jobId of dirty) {
      const job = live.get(jobId);
      if (job === undefined || job.written === job.text.length) continue;
      const { generation, written: offset } = job;
      chunks.push({ jobId, generation, offset, text: job.text.slice(offset) });
      job.written = job.text.length;
    }
    dirty.clear();
    if (chunks.length === 0) return;
    for (const { jobId } of chunks) writing.add(jobId);
    try {
      await insertText(deps.db, chunks);
      deps.signals.emit(
        'progress',
        chunks.map((chunk) => chunk.jobId),
      );
    } catch (error) {
      deps.onError(error);
      for (const { jobId, generation, offset } of chunks) writeAgain(jobId, generation, offset);
    } finally {
      writing.clear();
    }
  }

  function schedule(delayMs: number): void {
    if (timer === undefined) dueMs = delayMs;
    timer ??= setTimeout(() => {
      flushing = flush().finally(() => {
        timer = undefined;
        flushing = undefined;
        if (dirty.size > 0) schedule(FLUSH_MS);
      });
    }, delayMs);
  }

  return {
    append(jobId, generation, delta) {
      const job = live.get(jobId);
      const isFirst = job === undefined || job.generation !== generation;
      if (isFirst) live.set(jobId, { generation, text: delta, written: 0 });
      else job.text += delta;
      dirty.add(jobId);
      if (isFirst && dueMs > FIRST_FLUSH_MS && flushing === undefined) {
        clearTimeout(timer);
        timer = undefined;
      }
      schedule(isFirst ? FIRST_FLUSH_MS : FLUSH_MS);
      for (const handler of followers.get(jobId) ?? []) handler();
    },
    // Text that is written while the job's end removes its text would stay behind.
    async settle(jobId) {
      dirty.delete(jobId);
      if (writing.has(jobId)) await flushing;
    },
    end(jobId) {
      live.delete(jobId);
      dirty.delete(jobId);
    },
    current: (jobId) => live.get(jobId),
    follow(jobId, handler) {
      const set = followers.get(jobId) ?? new Set();
      followers.set(jobId, set.add(handler));
      return () => {
        set.delete(handler);
        if (set.size === 0 && followers.get(jobId) === set) followers.delete(jobId);
      };
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await flushing;
    },
  };
}
