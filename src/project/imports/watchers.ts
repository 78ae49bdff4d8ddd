/** Which files have a name that must be resolved again after a change of this key. */
export interface Watchers {
  of(key: string): ReadonlySet<string>;
  /** Instead of what it watched for until now. */
  set(path: string, keys: ReadonlySet<string>): void;
  remove(path: string): void;
}

interface Watched {
  key: string;
  paths: Set<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

export function createWatchers(): Watchers {
  const byKey = new Map<string, Watched>();
  const byPath = new Map<string, readonly Watched[]>();

  function remove(path: string): void {
    for (const watched of byPath.get(path) ?? []) {
      watched.paths.delete(path);
      if (watched.paths.size === 0) byKey.delete(watched.key);
    }
    byPath.delete(path);
  }

  return {
    of: (key) => byKey.get(key)?.paths ?? NOBODY,
    remove,
    set(path, keys) {
      remove(path);
      const list = Array.from(keys, (key) => {
        let watched = byKey.get(key);
        if (watched === undefined) {
          watched = { key, paths: new Set() };
          byKey.set(key, watched);
        }
        watched.paths.add(path);
        return watched;
      });
      if (list.length > 0) byPath.set(path, list);
    },
  };
}
