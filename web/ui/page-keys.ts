// The keys of what is on the page right now. Each part that listens for keys names them here while it is
// there, so that the list under `?` has all of them and no others.
import { useEffect } from 'react';

export interface PageKey {
  /** One after the other, as the list of keys shows them. */
  keys: readonly string[];
  label: string;
}

const shown = new Set<readonly PageKey[]>();

/** `keys` is the same list each time. */
export function usePageKeys(keys: readonly PageKey[]): void {
  useEffect(() => {
    shown.add(keys);
    return () => void shown.delete(keys);
  }, [keys]);
}

export function pageKeys(): PageKey[] {
  return [...shown].flat();
}
