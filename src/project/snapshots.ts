// Snapshots of the project, shared by all who ask at the same time.
import { createEntryFinder } from './entry-files.ts';
import type { EntryFinder } from './entry-files.ts';
import type { ImportGraph } from './imports/edges.ts';
import { createImportScanner } from './imports/graph.ts';
import { emptyIndex } from './imports/project-index.ts';
import type { ProjectIndex } from './imports/project-index.ts';
import { indexWords } from './path-words.ts';
import type { PathWords } from './path-words.ts';
import { toProjectTree } from './project-tree.ts';
import type { ProjectTree } from './project-tree.ts';
import { toRankedProject } from './rank.ts';
import type { RankedProject } from './rank.ts';
import { createWalker } from './walk.ts';

/** What was there at one time; never changes afterwards. */
export interface Snapshot {
  index: ProjectIndex;
  entries: EntryFinder;
  /** Empty when nobody asked for it. */
  graph: ImportGraph;
  ranked(): RankedProject;
  tree(): ProjectTree;
  words(): PathWords;
}

export interface Snapshots {
  /** A snapshot that begins after this call: what was written before it is seen. */
  next(options: { withGraph: boolean }): Promise<Snapshot>;
}

const NO_IMPORTS: ImportGraph = { imports: new Map(), importers: new Map() };

/** What depends on the names of the files alone; made for the first caller that needs it. */
function namesIn(files: readonly string[]): Pick<Snapshot, 'tree' | 'words'> {
  let tree: ProjectTree | undefined;
  let words: PathWords | undefined;
  return {
    tree: () => (tree ??= toProjectTree(files)),
    words: () => (words ??= indexWords(files)),
  };
}

function openProject(root: string) {
  const walker = createWalker(root);
  const scanner = createImportScanner(root);
  // Since the graph was last brought up to date: not every snapshot needs it.
  let changed = new Set<string>();
  let index = emptyIndex();
  let entries = createEntryFinder([], index);
  let names = namesIn([]);
  let last: Snapshot | undefined;

  return async (withGraph: boolean): Promise<Snapshot> => {
    const walk = await walker.walk();
    const { files } = walk.listing;
    for (const path of walk.changed) changed.add(path);
    if (index.files !== files) {
      index = index.next(files, walk);
      entries = createEntryFinder(files, index);
      names = namesIn(files);
    }
    let graph = NO_IMPORTS;
    if (withGraph) {
      graph = await scanner.scan({ listing: walk.listing, changed }, index);
      changed = new Set();
    }
    if (last?.index === index && last.graph === graph) return last;
    let ranked: RankedProject | undefined;
    last = {
      index,
      entries,
      graph,
      ...names,
      ranked: () => (ranked ??= toRankedProject(graph, files)),
    };
    return last;
  };
}

export function createSnapshots(root: string): Snapshots {
  let take: ReturnType<typeof openProject> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let waiting: { snapshot: Promise<Snapshot>; withGraph: boolean } | undefined;

  async function begin(withGraph: boolean): Promise<Snapshot> {
    take ??= openProject(root);
    try {
      return await take(withGraph);
    } catch (error) {
      // What is kept may be half of the old and half of the new: the next one starts anew.
      take = undefined;
      throw error;
    }
  }

  return {
    async next({ withGraph }) {
      // Not the one under way: it may have passed by what has been written since.
      if (waiting === undefined) {
        const start = () => {
          const isWanted = waiting?.withGraph ?? withGraph;
          waiting = undefined;
          return begin(isWanted);
        };
        waiting = { withGraph, snapshot: running.then(start, start) };
        running = waiting.snapshot;
      } else waiting.withGraph ||= withGraph;
      return waiting.snapshot;
    },
  };
}
