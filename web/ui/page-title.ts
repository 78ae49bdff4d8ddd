// A page names the tab, and its heading gets the focus when one comes to it from another page: screen readers
// then say where one is, and the next Tab starts there.
import { useEffect, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';

let focusedPath = location.pathname;

export function usePageTitle(title: ReactNode): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = location;
  useEffect(() => {
    document.title = `${heading.current?.textContent ?? ''} · Millrace`;
  }, [title]);
  useEffect(() => {
    if (pathname === focusedPath) return;
    focusedPath = pathname;
    heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
