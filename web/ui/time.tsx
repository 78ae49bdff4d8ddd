// Times: relative to now, the exact one on hover.
import { useSyncExternalStore } from 'react';
import { formatDuration, formatRelative } from './format.ts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    listeners.forEach((each) => each());
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** One clock for the page, by the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Ago({ time, className }: { time: string | number; className?: string }) {
  const at = typeof time === 'number' ? time : Date.parse(time);
  const iso = new Date(at).toISOString();
  return (
    <time
      dateTime={iso}
      title={`${new Date(at).toLocaleString()} (${iso})`}
      className={className ?? 'whitespace-nowrap text-soft'}
    >
      {formatRelative(at, useNow())}
    </time>
  );
}

/** How long something has been going on. */
export function Since({ time }: { time: number }) {
  return <span className="tabular">{formatDuration(Math.max(0, useNow() - time))}</span>;
}
