// What a schedule that is due does: the newest of the times that have passed counts, and those before it were missed.
import { nextTime } from './next-time.ts';
import type { Times } from './next-time.ts';

export type CatchUp = 'none' | 'once';

export type Due =
  | { kind: 'start'; cause: 'time' | 'catch_up'; dueAt: Date; missed: number; nextAt: Date | null }
  | { kind: 'missed'; dueAt: Date; missed: number; nextAt: Date | null };

/** A start that is later than this comes from a server that was down. */
const LATE_MS = 60_000;
/** Nobody needs to know more exactly what a server missed. */
export const MOST_MISSED = 1000;

/** `dueAt`: the first time that has passed. */
export function decideDue(
  times: Times,
  { dueAt, now, catchUp }: { dueAt: Date; now: Date; catchUp: CatchUp },
): Due {
  let newest = dueAt;
  let missed = 0;
  let next = nextTime(times, newest);
  while (next !== undefined && next <= now) {
    missed += 1;
    newest = next;
    if (missed >= MOST_MISSED) newest = lastTime(times, newest, now);
    next = nextTime(times, newest);
  }
  const due = { dueAt: newest, missed, nextAt: next ?? null };
  if (now.getTime() - newest.getTime() <= LATE_MS) return { kind: 'start', cause: 'time', ...due };
  if (catchUp === 'none') return { kind: 'missed', ...due, missed: missed + 1 };
  return { kind: 'start', cause: 'catch_up', ...due };
}

/** Instead of counting on: a time so close to now that none, or few, lie between. */
function lastTime(times: Times, from: Date, now: Date): Date {
  for (const backMs of [2 * LATE_MS, 3_600_000, 86_400_000, 32 * 86_400_000]) {
    const start = new Date(Math.max(from.getTime(), now.getTime() - backMs));
    const at = nextTime(times, start);
    if (at !== undefined && at <= now) return at;
  }
  return from;
}
