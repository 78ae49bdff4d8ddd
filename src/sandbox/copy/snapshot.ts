// The project as it was at one moment, in a folder that nothing writes to any more. Overlays lie above it and
// never above the project itself: a file that a person or another stream changes meanwhile must not appear in a
// running sandbox. Copies of a run share one; what changed since is a thin layer of each copy.
//
// The files are copies (shared blocks where the file system has them). Hard links would take no space, but an
// editor that writes in place would then write into the snapshot.
import { join } from 'node:path';
import { makeFolder } from '../../platform/make-folder.ts';
import type { Workplace } from '../workplace.ts';
import { baseOf, foldersAbove } from './base.ts';
import type { Base, BaseEntry } from './base.ts';
import { createFileCopier } from './plain.ts';
import { writeWhiteouts } from './whiteout.ts';

export interface Snapshot {
  /** Below the workplace. */
  name: string;
  /** The project's files that are in it, as they were there. */
  base: Base;
}

export async function takeSnapshot(
  workplace: Workplace,
  live: Base,
  onFile: (path: string, entry: BaseEntry, copy: string) => Promise<void> | void = () => {},
): Promise<Snapshot> {
  const name = workplace.newFolder('snapshot');
  const target = join(workplace.path, name);
  const copier = createFileCopier(live.folder, target);
  const entries = new Map<string, BaseEntry>();
  for (const [path, entry] of live.entries) {
    if (!copier.copy(path, entry)) continue;
    entries.set(path, entry);
    await onFile(path, entry, join(target, path));
  }
  return { name, base: baseOf(live.folder, entries) };
}

export interface SnapshotChanges {
  written: string[];
  /** Of folders that are gone only the outermost. */
  removed: ReadonlySet<string>;
}

export function changesSince(snapshot: Base, live: Base): SnapshotChanges {
  const written: string[] = [];
  for (const [path, { version, mode }] of live.entries) {
    const before = snapshot.entries.get(path);
    if (before?.version !== version || before.mode !== mode) written.push(path);
  }
  const removed = new Set<string>();
  for (const path of snapshot.entries.keys()) {
    if (live.entries.has(path)) continue;
    const above = foldersAbove(path);
    // A file where a folder was hides it by itself.
    if (above.some((folder) => live.entries.has(folder))) continue;
    const gone = above.findLast((folder) => !live.folders.has(folder)) ?? path;
    // A folder where a file was hides that one, too.
    if (!live.folders.has(gone)) removed.add(gone);
  }
  return { written, removed };
}

const MOST_FILES = 500;
const MOST_BYTES = 16 * 1024 ** 2;

/** Whether a new snapshot for this copy and those after it is cheaper than a layer for each of them. */
export function isMuch({ written, removed }: SnapshotChanges, live: Base): boolean {
  const bytes = written.reduce((sum, path) => sum + live.entries.get(path)!.size, 0);
  return written.length + removed.size > MOST_FILES || bytes > MOST_BYTES;
}

/** Undefined where a file cannot be hidden; otherwise what is in the two together. */
export function writeLayer(
  { base }: Snapshot,
  live: Base,
  { written, removed }: SnapshotChanges,
  place: { layer: string; spare: string },
): Base | undefined {
  const copier = createFileCopier(live.folder, place.layer);
  const gone = written.filter((path) => !copier.copy(path, live.entries.get(path)!));
  // What could not be copied now may be in the snapshot as it was.
  const hidden = new Set([...removed, ...gone.filter((path) => base.entries.has(path))]);
  for (const path of hidden) makeFolder(join(place.layer, path, '..'));
  if (!writeWhiteouts(place.layer, place.spare, hidden)) return undefined;
  if (gone.length === 0) return live;
  const entries = new Map(live.entries);
  for (const path of gone) entries.delete(path);
  return baseOf(live.folder, entries);
}
