import { useEffect } from 'react';
import { SHORTCUTS } from './shortcuts.ts';
import type { ShortcutAct } from './shortcuts.ts';

/** How long `g` waits for the letter of a page. */
const PREFIX_MS = 1500;

/** Letters belong to whoever is being typed into, or asked something. */
function isTaken(target: EventTarget | null): boolean {
  const isTyping =
    target instanceof Element &&
    target.closest('input, textarea, select, [contenteditable="true"]') !== null;
  return isTyping || document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

export function useShortcuts(onAct: (act: ShortcutAct) => void): void {
  useEffect(() => {
    let prefix: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function onKey(event: KeyboardEvent): void {
      const isMod = event.ctrlKey || event.metaKey;
      if (event.altKey || event.isComposing || (!isMod && isTaken(event.target))) return;
      const pressed = [...(isMod ? ['mod'] : prefix ? [prefix] : []), event.key.toLowerCase()];
      clearTimeout(timer);
      prefix = undefined;
      const found = SHORTCUTS.find(({ keys }) => keys.join(' ') === pressed.join(' '));
      if (found) {
        event.preventDefault();
        onAct(found.act);
      } else if (!isMod && SHORTCUTS.some(({ keys }) => keys.length > 1 && keys[0] === event.key)) {
        prefix = event.key;
        timer = setTimeout(() => (prefix = undefined), PREFIX_MS);
      }
    }

    addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKey);
    };
  }, [onAct]);
}
