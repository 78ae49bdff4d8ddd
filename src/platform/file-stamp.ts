// Whether a file is still the one that was read, found out without reading it again.
import type { Stats } from 'node:fs';

export interface Stamp {
  mtimeMs: number;
  ctimeMs: number;
  size: number;
  ino: number;
  /** A later change would show: see below. */
  isSettled: boolean;
}

// A file system counts the time in steps: two changes within one of them can leave the same stamp. A
// file that changed so shortly before it was looked at is read once more the next time.
const UNSETTLED_MS = 50;

/** The time is that of the look, taken before the file was read. */
export function stampOf(about: Stats, lookedAt: number): Stamp {
  const { mtimeMs, ctimeMs, size, ino } = about;
  const isSettled = Math.max(mtimeMs, ctimeMs) < lookedAt - UNSETTLED_MS;
  return { mtimeMs, ctimeMs, size, ino, isSettled };
}

export function isUnchanged(known: Stamp, about: Stats): boolean {
  return (
    known.isSettled &&
    known.mtimeMs === about.mtimeMs &&
    known.size === about.size &&
    known.ctimeMs === about.ctimeMs &&
    known.ino === about.ino
  );
}
