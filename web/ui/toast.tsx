// Short news about what was just done.
import { useSyncExternalStore } from 'react';
import { cx } from './class-names.ts';

interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'good' | 'bad';
}

const SHOWN_MS = 6000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  listeners.forEach((each) => each());
}

export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = ++lastId;
  set([...toasts, { id, text, tone }].slice(-3));
  setTimeout(() => set(toasts.filter((each) => each.id !== id)), SHOWN_MS);
}

/** For promises that nobody else looks at. */
export function toastError(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error), 'bad');
}

const TONES = { plain: 'text-text', good: 'text-good', bad: 'text-bad' } as const;

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex max-w-sm flex-col gap-2"
    >
      {shown.map(({ id, text, tone }) => (
        <div
          key={id}
          className={cx(
            'rounded-lg border border-line-strong bg-raised px-4 py-2.5 text-sm shadow-pop',
            TONES[tone],
          )}
        >
          {text}
        </div>
      ))}
    </div>
  );
}
