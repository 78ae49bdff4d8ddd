// Keys of a list: j and k go down and up, x selects, Enter opens (the link has the focus).
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { usePageKeys } from '../../ui/page-keys.ts';

const KEYS = [
  { keys: ['j'], label: 'Next row' },
  { keys: ['k'], label: 'Previous row' },
  { keys: ['Enter'], label: 'Open the row' },
  { keys: ['x'], label: 'Select the row' },
];

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input[type=search], input[type=text], textarea, select');

/** Rows are links with `data-row`. */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  onSelect: (id: string) => void,
): void {
  usePageKeys(KEYS);
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role=dialog], [role=menu]')) return;
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
      const at = rows.findIndex((row) => row.closest('tr')?.contains(document.activeElement));
      if (event.key === 'j') rows[Math.min(at + 1, rows.length - 1)]?.focus();
      if (event.key === 'k') rows[Math.max(at - 1, 0)]?.focus();
      if (event.key === 'x' && at >= 0) select.current(rows[at]!.dataset['row']!);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [list]);
}
