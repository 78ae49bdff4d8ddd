// Shares one transaction between callers that arrive while another is committing. A commit waits
// for the disk; a hundred waiting callers that commit together pay that wait once. The first caller
// starts at once, and those that come meanwhile form the next batch.
//
// A batch costs nearly the same for one and for ten. So where callers keep coming, the next one waits for
// as long as the last has taken, within limits: the processor's time that this saves is worth more than the wait, and
// who is alone never waits.
//
// Callers share a transaction, not a fate: when a batch is refused, its halves run one after the other, down to the
// item that cannot be written, which fails alone. So `run` must leave nothing behind when it throws, and must
// recognize an item that was written after all. While the database cannot be reached, all fail at once: one by one
// they would only wait longer.
import { isRetryableConflict, isUnavailable } from './errors.ts';

export interface Coalescer<Item, Outcome> {
  add(item: Item): Promise<Outcome>;
  /** Resolves when everything added so far has been answered. */
  idle(): Promise<void>;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

const MAX_CONFLICT_RETRIES = 5;

export function createCoalescer<Item, Outcome>(options: {
  /** Answers a whole batch, one outcome an item, in order. */
  run(items: Item[]): Promise<Outcome[]>;
  maxBatch: number;
  maxConcurrent?: number;
  /** How long at most a batch waits for more, in milliseconds. */
  gatherMs?: number;
  /** Keeps one transaction from growing past what fits in memory and in a statement. */
  weigh?(item: Item): number;
  maxWeight?: number;
}): Coalescer<Item, Outcome> {
  const { run, maxBatch, maxConcurrent = 1, weigh, maxWeight = Infinity, gatherMs = 0 } = options;
  let waiting: Waiting<Item, Outcome>[] = [];
  let active = 0;
  let gathering = false;
  let idleWaiters: (() => void)[] = [];

  function takeBatch(): Waiting<Item, Outcome>[] {
    let weight = 0;
    let size = 0;
    while (size < waiting.length && size < maxBatch) {
      weight += weigh ? weigh(waiting[size]!.item) : 0;
      if (size > 0 && weight > maxWeight) break;
      size += 1;
    }
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    return batch;
  }

  async function runWithRetries(items: Item[]): Promise<Outcome[]> {
    for (let retry = 0; ; retry++) {
      try {
        return await run(items);
      } catch (error) {
        if (retry >= MAX_CONFLICT_RETRIES || !isRetryableConflict(error)) throw error;
      }
    }
  }

  async function answer(batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await runWithRetries(batch.map((waiter) => waiter.item));
      batch.forEach((waiter, index) => waiter.resolve(outcomes[index]!));
    } catch (error) {
      if (batch.length === 1 || isUnavailable(error)) {
        batch.forEach((waiter) => waiter.reject(error));
        return;
      }
      const half = Math.ceil(batch.length / 2);
      await answer(batch.slice(0, half));
      await answer(batch.slice(half));
    }
  }

  /** Whether enough came while the last batch was under way that more may be expected. */
  function pumpSoon(tookMs: number): void {
    const pauseMs = Math.min(gatherMs, tookMs);
    if (pauseMs < 1 || waiting.length === 0 || waiting.length >= maxBatch) return pump();
    gathering = true;
    setTimeout(() => {
      gathering = false;
      pump();
    }, pauseMs);
  }

  function pump(): void {
    while (active < maxConcurrent && waiting.length > 0 && !gathering) {
      active += 1;
      const startedAt = performance.now();
      void answer(takeBatch()).then(() => {
        active -= 1;
        pumpSoon(performance.now() - startedAt);
      });
    }
    if (active === 0 && waiting.length === 0) {
      const done = idleWaiters;
      idleWaiters = [];
      done.forEach((resolve) => resolve());
    }
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      waiting.push({ item, resolve, reject });
      // Requests that are read in the same turn of the event loop belong together.
      if (waiting.length === 1) setImmediate(pump);
      return promise;
    },
    async idle() {
      if (active === 0 && waiting.length === 0) return;
      await new Promise<void>((resolve) => idleWaiters.push(resolve));
    },
  };
}
