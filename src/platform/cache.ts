// A cache of so many entries that grows with what is kept. With a number of entries LRUCache makes room for all of
// them when it is made: those of a server that nobody uses yet took a fifth of its start.
import { LRUCache } from 'lru-cache';

export function createCache<Value extends {}>(options: {
  entries: number;
  /** How long an entry is good, in milliseconds. */
  ttl?: number;
}): LRUCache<string, Value> {
  return new LRUCache({
    maxSize: options.entries,
    sizeCalculation: () => 1,
    ...(options.ttl !== undefined && { ttl: options.ttl }),
  });
}
