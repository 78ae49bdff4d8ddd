import type { Vendor } from './vendors.ts';

export interface Limit {
  /** Calls that one key may have open at a time. */
  concurrent: number;
  /** Seconds, sent with the refusal. */
  retryAfter?: number;
}

export interface Load {
  active: number;
  /** The most that were ever open at a time. */
  peak: number;
}

/** Counts the open calls of every key and knows the vendors' limits for them. */
export interface Gate {
  /** Undefined when the key has no place left; else to be called once when the call is over. */
  enter(vendor: Vendor, key: string, limit?: number): (() => void) | undefined;
  limit(vendor: Vendor): Limit | undefined;
  setLimit(vendor: Vendor, limit: Limit | undefined): void;
  load(vendor: Vendor): Load;
  reset(): void;
}

export function createGate(): Gate {
  const limits = new Map<Vendor, Limit>();
  const perKey = new Map<string, number>();
  const loads = new Map<Vendor, Load>();

  function loadOf(vendor: Vendor): Load {
    const load = loads.get(vendor) ?? { active: 0, peak: 0 };
    loads.set(vendor, load);
    return load;
  }

  return {
    enter(vendor, key, limit = limits.get(vendor)?.concurrent ?? Infinity) {
      const name = `${vendor} ${key}`;
      const open = perKey.get(name) ?? 0;
      if (open >= limit) return undefined;
      perKey.set(name, open + 1);
      const load = loadOf(vendor);
      load.active += 1;
      load.peak = Math.max(load.peak, load.active);
      return () => {
        perKey.set(name, (perKey.get(name) ?? 1) - 1);
        load.active -= 1;
      };
    },
    limit: (vendor) => limits.get(vendor),
    setLimit(vendor, limit) {
      if (limit) limits.set(vendor, limit);
      else limits.delete(vendor);
    },
    load: (vendor) => ({ ...loadOf(vendor) }),
    reset() {
      limits.clear();
      // Calls that are still open give their places back later, so only the peak starts anew.
      for (const load of loads.values()) load.peak = load.active;
    },
  };
}
