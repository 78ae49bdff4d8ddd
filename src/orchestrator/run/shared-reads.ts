// Which of the files that a stream reads begin its prompt, because others begin theirs with the same:
// a vendor then keeps that beginning, and only the first of them pays for it in full. A stream is
// never shown a file for the sake of others that read it.
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { RunTask } from './task.ts';

/** By the id of a stream; in the order in which the prompt shows them. */
export type SharedReads = ReadonlyMap<string, ReadonlySet<string>>;

type Reader = Pick<RunTask, 'id' | 'owns' | 'reads' | 'model' | 'root'>;

/** Beginnings that streams have in common, as a tree: one more file at each step. */
interface Beginning {
  streams: number;
  next: Map<string, Beginning>;
}

/** The plain files among entries, when no stream writes them: their text is the same at every call. */
function createStableFiles(tasks: readonly Reader[]): (entries: readonly string[]) => string[] {
  const writers = tasks.flatMap(({ owns }) => patternsOf(owns));
  const known = new Map<string, string | undefined>();
  const fileOf = (entry: string) => {
    const patterns = patternsOf([entry]);
    const [pattern] = patterns;
    // A name with brackets stands for a glob as well: the files that are there decide.
    if (pattern?.kind !== 'file' || patterns.length > 1) return undefined;
    const isWritten = writers.some((writer) => patternsOverlap(writer, pattern));
    return isWritten ? undefined : pattern.parts.join('/');
  };
  return (entries) => {
    const files = new Set<string>();
    for (const entry of entries) {
      if (!known.has(entry)) known.set(entry, fileOf(entry));
      const file = known.get(entry);
      if (file !== undefined) files.add(file);
    }
    return [...files];
  };
}

function sharedAmong(readers: readonly { id: string; files: readonly string[] }[]) {
  const counts = new Map<string, number>();
  for (const { files } of readers) {
    for (const path of files) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  // Most read first: so that those who do not read the same still begin alike.
  const byReaders = (a: string, b: string) =>
    (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1);
  const all: Beginning = { streams: 0, next: new Map() };
  const wanted = readers.map(({ id, files }) => {
    const shared = files.filter((path) => (counts.get(path) ?? 0) > 1).sort(byReaders);
    let at = all;
    for (const path of shared) {
      let next = at.next.get(path);
      if (next === undefined) at.next.set(path, (next = { streams: 0, next: new Map() }));
      next.streams += 1;
      at = next;
    }
    return { id, shared };
  });
  const ends = new Map<Beginning, [string, Set<string>][]>();
  for (const { id, shared } of wanted) {
    let at = all;
    const taken = new Set<string>();
    for (const path of shared) {
      const next = at.next.get(path)!;
      if (next.streams < 2) break;
      taken.add(path);
      at = next;
    }
    const same = ends.get(at);
    if (same) same.push([id, taken]);
    else ends.set(at, [[id, taken]]);
  }
  // To keep a beginning that nobody else has would cost more than it saves.
  return [...ends.values()].filter((same) => same.length > 1).flat();
}

export function sharedReadsOf(tasks: Iterable<Reader>): SharedReads {
  // A fix reads what its root reads, and asks after it: it is no second reader.
  const readers = [...tasks].filter(({ root }) => root === undefined);
  const stableFiles = createStableFiles(readers);
  const read = readers.map(({ id, model, reads }) => ({ id, model, files: stableFiles(reads) }));
  // What one model's vendor keeps is of no use to another.
  const byModel = Map.groupBy(read, ({ model }) => model);
  return new Map([...byModel.values()].flatMap(sharedAmong));
}
