// Looks at a running command until it ends, and says when it passes a limit. The kernel's own limits lie a
// little above: they hold between two readings, this names what was passed.
import { lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitName, Limits } from './limits.ts';

export interface Usage {
  /** Threads too, where they count towards the kernel's limit. */
  processes: number;
  memoryBytes: number;
}

export interface Watched {
  usage(): Usage;
  /** In files that are open but in no folder any more. */
  deletedBytes(): number;
  limits: Limits;
  /** Where it can write. */
  folders: readonly string[];
  /** In use there before anything was written. */
  startBytes: number;
  /** What the kernel holds; otherwise usage is read. */
  cgroup?: { passed(): LimitName | undefined };
  onLimit(limit: LimitName): void;
}

const EVERY_MS = 100;
/** Reading the size of folders takes at most this share of the time. */
const DISK_SHARE = 0.1;

/** Blocks in use; what cannot be read (removed meanwhile) counts nothing. Links are not followed. */
export function bytesIn(folder: string, enough = Infinity): number {
  let bytes = 0;
  const seen = new Set<number>();
  const rest = [folder];
  for (let next = rest.pop(); next !== undefined && bytes <= enough; next = rest.pop()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        const path = join(next, entry.name);
        if (entry.isDirectory()) rest.push(path);
        const { blocks, nlink, ino } = lstatSync(path);
        if (nlink > 1 && !entry.isDirectory()) {
          if (seen.has(ino)) continue;
          seen.add(ino);
        }
        bytes += blocks * 512;
      }
    } catch {
      // As said above.
    }
  }
  return bytes;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export interface LimitWatch {
  /** After the end: whether what it left is more than it may write, which it may have done between two readings. */
  stop(): LimitName | undefined;
}

export function watchLimits(watched: Watched): LimitWatch {
  const { limits, folders, startBytes, cgroup, onLimit } = watched;
  const startedAt = performance.now();
  const most = limits.diskBytes + startBytes;
  const sizes = () => folders.reduce((sum, folder) => sum + bytesIn(folder, most), 0);
  const freeBefore = freeBytes(folders[0]!);
  let nextDisk = 0;

  function diskIsFull(): boolean {
    const now = performance.now();
    if (now < nextDisk) return false;
    const written = sizes() - startBytes;
    // Others write on the same disk, too: only a reason to look for files that are in no folder.
    const isLess = freeBefore - freeBytes(folders[0]!) > limits.diskBytes;
    const hidden = isLess ? watched.deletedBytes() : 0;
    const took = performance.now() - now;
    nextDisk = performance.now() + took / DISK_SHARE;
    return written + hidden > limits.diskBytes;
  }

  function passed(): LimitName | undefined {
    if (performance.now() - startedAt > limits.timeoutMs) return 'time';
    const held = cgroup?.passed();
    if (held !== undefined) return held;
    const usage = watched.usage();
    if (usage.processes > limits.processes) return 'processes';
    if (usage.memoryBytes > limits.memoryBytes) return 'memory';
    return diskIsFull() ? 'disk' : undefined;
  }

  const timer = setInterval(() => {
    const limit = passed();
    if (limit === undefined) return;
    clearInterval(timer);
    onLimit(limit);
  }, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      const held = cgroup?.passed();
      if (held !== undefined) return held;
      return sizes() - startBytes > limits.diskBytes ? 'disk' : undefined;
    },
  };
}
