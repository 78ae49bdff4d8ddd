// Keys of the panel: Esc closes it, [ and ] go to the stream before and after.
import { useEffect, useRef } from 'react';
import { usePageKeys } from '../../../ui/page-keys.ts';

const KEYS = [
  { keys: ['['], label: 'Previous stream' },
  { keys: [']'], label: 'Next stream' },
  { keys: ['Esc'], label: 'Close the panel' },
];

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

export function usePanelKeys(keys: { onClose: () => void; onStep: (by: 1 | -1) => void }): void {
  usePageKeys(KEYS);
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A dialog over the panel has its own Esc.
      if (event.defaultPrevented || document.querySelector('[role=dialog]')) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') current.current.onClose();
      if (isTyping(event.target)) return;
      if (event.key === '[') current.current.onStep(-1);
      if (event.key === ']') current.current.onStep(1);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Focus goes into what opens, and back to where it was when that closes. */
export function useFocusInside() {
  const inside = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    inside.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return inside;
}
