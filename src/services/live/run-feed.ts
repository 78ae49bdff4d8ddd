// The events of a reported run, from any of them on, and the tokens of answers that are being written.
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { findReport, listRunEvents } from '../../store/runs/run-reports.ts';
import { createWakeUp } from './wake-up.ts';

export interface FeedMessage {
  event: string;
  /** JSON. */
  data: string;
  /** To go on from. */
  position: string;
}

/** One message of a long history. */
const BATCH = 500;
/** A lost wake-up costs a reader at most this; also notices a command line that went silent. */
const RECHECK_MS = 5000;
/** Readers get news at most so often. */
const NEWS_EVERY_MS = 100;

const UNREPORTED = { live: { isLive: false }, progress: {}, isEnded: false } as const;

export interface RunFeeds {
  follow(
    run: RunKey,
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<FeedMessage>;
  /** Resolves when something may have changed about the run, which need not be known yet. */
  news(run: RunKey, signal: AbortSignal): Promise<void>;
  close(): void;
}

export function createRunFeeds(deps: { db: Db; signals: Signals }): RunFeeds {
  const watchers = new Map<string, Set<() => void>>();
  const off = deps.signals.on('runs', (ids) => {
    for (const key of ids) watchers.get(key)?.forEach((wake) => wake());
  });

  function watch(run: RunKey, wake: () => void): () => void {
    const key = runKeyText(run);
    const known = watchers.get(key) ?? new Set();
    watchers.set(key, known.add(wake));
    return () => {
      known.delete(wake);
      if (known.size === 0 && watchers.get(key) === known) watchers.delete(key);
    };
  }

  async function* follow(
    run: RunKey,
    from: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<FeedMessage> {
    let seq = /^\d{1,9}$/.test(from ?? '') ? Number(from) : 0;
    let lastState = '';
    const wakeUp = createWakeUp(signal);
    const unwatch = watch(run, wakeUp.wake);
    try {
      while (!signal.aborted) {
        const events = await listRunEvents(deps.db, run, seq, BATCH);
        if (events.length > 0) {
          seq = events.at(-1)!.seq;
          const data = `{"events":[${events.map(({ event }) => event).join(',')}]}`;
          yield { event: 'events', data, position: String(seq) };
        }
        if (events.length === BATCH) continue;
        const report = await findReport(deps.db, run);
        // A run that nobody reports has a message as well: otherwise a reader could not know that nothing will come.
        if (report === undefined || report.lastSeq === seq) {
          const { live, progress, isEnded } = report ?? UNREPORTED;
          const state = JSON.stringify({ isLive: live.isLive, isEnded, progress });
          if (state !== lastState)
            yield { event: 'progress', data: (lastState = state), position: String(seq) };
        }
        await wakeUp.next(RECHECK_MS);
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, NEWS_EVERY_MS));
      }
    } finally {
      unwatch();
    }
  }

  async function news(run: RunKey, signal: AbortSignal): Promise<void> {
    const wakeUp = createWakeUp(signal);
    const unwatch = watch(run, wakeUp.wake);
    await wakeUp.next(RECHECK_MS);
    unwatch();
  }

  return { follow, news, close: off };
}
