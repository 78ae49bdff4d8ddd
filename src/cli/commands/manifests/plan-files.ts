// How much there is on disk of what streams own and read.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { patternsOverlap } from '../../../manifest/patterns/overlap.ts';
import { filePattern } from '../../../manifest/patterns/pattern.ts';
import type { Pattern } from '../../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../../manifest/stream-graph.ts';

/** Never part of what a stream is shown. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '.millrace']);
/** An estimate need not walk a whole disk to be one. */
const MAX_FILES = 200_000;

export interface ProjectFiles {
  /** Bytes of the files that the entries name, each counted once. */
  bytesOf(entries: readonly string[]): number;
  /**
   * What an answer would have to hold that writes them anew: the files that the entries name one by
   * one, or the largest of those that they only cover.
   */
  rewrittenBytes(entries: readonly string[]): number;
}

type Sizes = readonly (readonly [path: string, bytes: number])[];

export function openProjectFiles(root: string): ProjectFiles {
  const known = new Map<string, Sizes>();
  let seen = 0;

  function sizeOf(path: string): Sizes {
    const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
    return stats?.isFile() ? [[path, stats.size]] : [];
  }

  function below(folder: string): Sizes {
    const sizes: [string, number][] = [];
    // A link is not followed: it may lead to the whole disk.
    const isThere =
      lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() === true;
    const open = isThere ? [folder] : [];
    for (let at = open.pop(); at !== undefined && seen < MAX_FILES; at = open.pop()) {
      let entries;
      try {
        entries = readdirSync(join(root, at), { withFileTypes: true });
      } catch {
        continue;
      }
      for (const entry of entries) {
        const path = at === '' ? entry.name : `${at}/${entry.name}`;
        if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) open.push(path);
        if (!entry.isFile()) continue;
        seen += 1;
        sizes.push([path, lstatSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0]);
      }
    }
    return sizes;
  }

  function find(pattern: Pattern): Sizes {
    const start = pattern.parts.slice(0, pattern.literalCount).join('/');
    if (pattern.kind === 'file') return sizeOf(start);
    if (pattern.kind === 'tree') return below(start);
    if (pattern.kind === 'either') return [...sizeOf(start), ...below(start)];
    return below(start).filter(([path]) => patternsOverlap(pattern, filePattern(path)));
  }

  function sizesOf(entry: string): Sizes {
    let sizes = known.get(entry);
    if (sizes === undefined) known.set(entry, (sizes = patternsOf([entry]).flatMap(find)));
    return sizes;
  }

  return {
    bytesOf(entries) {
      const files = new Map(entries.flatMap(sizesOf));
      let bytes = 0;
      for (const size of files.values()) bytes += size;
      return bytes;
    },
    rewrittenBytes(entries) {
      let named = 0;
      let largest = 0;
      for (const [path, size] of new Map(entries.flatMap(sizesOf))) {
        if (entries.includes(path)) named += size;
        largest = Math.max(largest, size);
      }
      return Math.max(named, largest);
    },
  };
}
