// The edges of the graph. What was handed out never changes: each snapshot that changes something makes
// a new graph, which shares with the last one what is the same.
import { createLayeredMap } from '../layered-map.ts';
import type { LayeredMap } from '../layered-map.ts';

type Paths = LayeredMap<readonly string[]>;

export interface ImportGraph {
  imports: Pick<Paths, 'get'>;
  importers: Pick<Paths, 'get'>;
}

export interface Edges {
  set(path: string, targets: readonly string[]): void;
  remove(path: string): void;
  /** As it is after all changes; the same object when there were none. */
  graph(): ImportGraph;
}

export function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

export function createEdges(): Edges {
  let current: { imports: Paths; importers: Paths } = {
    imports: createLayeredMap(),
    importers: createLayeredMap(),
  };
  // Since the last graph; nobody else has these lists yet.
  let imports = new Map<string, readonly string[] | undefined>();
  let importers = new Map<string, Set<string>>();

  function importersOf(target: string): Set<string> {
    let paths = importers.get(target);
    if (paths === undefined) {
      paths = new Set(current.importers.get(target));
      importers.set(target, paths);
    }
    return paths;
  }

  function set(path: string, targets: readonly string[] | undefined): void {
    const before = imports.has(path) ? imports.get(path) : current.imports.get(path);
    if (before === targets || (before && targets && isSameList(before, targets))) return;
    imports.set(path, targets);
    for (const target of before ?? []) importersOf(target).delete(path);
    for (const target of targets ?? []) importersOf(target).add(path);
  }

  return {
    set,
    remove: (path) => set(path, undefined),
    graph() {
      if (imports.size === 0) return current;
      const lists = new Map<string, readonly string[] | undefined>();
      for (const [target, paths] of importers) {
        lists.set(target, paths.size === 0 ? undefined : [...paths].sort());
      }
      current = {
        imports: current.imports.with(imports),
        importers: current.importers.with(lists),
      };
      imports = new Map();
      importers = new Map();
      return current;
    },
  };
}
