// A page names the tab, and its heading gets the focus when one comes to it from another page: screen readers
// then say where one is, and the next Tab starts there.
import { useEffect, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';

let count = 0;
let named = '';

function show(): void {
  document.title = `${count > 0 ? `(${count}) ` : ''}${named} · Millrace`;
}

/** How much waits for the person: in the tab, on every page. */
export function setTitleCount(next: number): void {
  count = next;
  if (named !== '') show();
}

let focusedPath = location.pathname;

export function usePageTitle(title: ReactNode): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = location;
  useEffect(() => {
    named = heading.current?.textContent ?? '';
    show();
  }, [title]);
  useEffect(() => {
    if (pathname === focusedPath) return;
    focusedPath = pathname;
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
