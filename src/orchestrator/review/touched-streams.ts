// The streams whose checks say whether what is left of the files still holds: those that wrote them, and
// those that build on these.
import type { RunProjection } from '../../domain/run/projection.ts';
import { readApplied } from '../apply/record.ts';
import type { AppliedEntry } from '../apply/record.ts';

/** By stream: which of the files it wrote. A fix counts as its stream. */
export async function writersOf(
  entries: readonly AppliedEntry[],
  { streams }: RunProjection,
  files: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const writers = new Map<string, string[]>();
  for (const { dir, streamId } of entries) {
    const id = streams.get(streamId)?.fixOf ?? streamId;
    if (!streams.has(id)) continue;
    const known = writers.get(id) ?? [];
    for (const { path } of await readApplied(dir)) {
      if (files.has(path) && !known.includes(path)) known.push(path);
    }
    if (known.length > 0) writers.set(id, known);
  }
  return writers;
}

/** In the order of the waves. */
export function touchedStreams({ streams }: RunProjection, writers: Iterable<string>): string[] {
  const touched = new Set(writers);
  const rows = [...streams.values()].sort((a, b) => a.wave - b.wave);
  for (const { id, waitsFor, status } of rows) {
    if (status === 'complete' && waitsFor.some((one) => touched.has(one))) touched.add(id);
  }
  return rows.flatMap(({ id }) => (touched.has(id) ? [id] : []));
}
