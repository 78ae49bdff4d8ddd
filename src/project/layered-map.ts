// A map that never changes, and others made from it with a few differences: what is kept from one
// snapshot to the next is large, and what changes in between is small.

export interface LayeredMap<Value> {
  get(key: string): Value | undefined;
  /** One with these differences; undefined takes a key out. */
  with(changes: ReadonlyMap<string, Value | undefined>): LayeredMap<Value>;
}

/** With more differences than this a copy of all costs less than to carry them on. */
const MAX_DIFFERENCES = 500;

function layered<Value>(
  base: ReadonlyMap<string, Value>,
  over: ReadonlyMap<string, Value | undefined>,
): LayeredMap<Value> {
  return {
    get(key) {
      const value = over.get(key);
      return value !== undefined || over.has(key) ? value : base.get(key);
    },
    with(changes) {
      if (over.size + changes.size <= MAX_DIFFERENCES) {
        return layered(base, new Map([...over, ...changes]));
      }
      const all = new Map(base);
      for (const [key, value] of [...over, ...changes]) {
        if (value === undefined) all.delete(key);
        else all.set(key, value);
      }
      return layered(all, new Map());
    },
  };
}

export function createLayeredMap<Value>(): LayeredMap<Value> {
  return layered(new Map(), new Map());
}
