// Shares one transaction between callers that arrive while another is committing. A commit waits
// for the disk; a hundred waiting callers that commit together pay that wait once. Nobody waits
// for a timer: the first caller starts at once, and later ones form the next batch.
import { isRetryableConflict } from './errors.ts';

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
  /** Keeps one transaction from growing past what fits in memory and in a statement. */
  weigh?(item: Item): number;
  maxWeight?: number;
}): Coalescer<Item, Outcome> {
  const { run, maxBatch, maxConcurrent = 1, weigh, maxWeight = Infinity } = options;
  let waiting: Waiting<Item, Outcome>[] = [];
  let active = 0;
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
      batch.forEach((waiter) => waiter.reject(error));
    }
  }

  function pump(): void {
    while (active < maxConcurrent && waiting.length > 0) {
      active += 1;
      void answer(takeBatch()).then(() => {
        active -= 1;
        pump();
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
