// One worker colours everything that a page shows; it ends when nothing needs it any more.
import { useEffect, useSyncExternalStore } from 'react';
import { createHighlighter } from './highlighter.ts';
import type { Highlighter } from './highlighter.ts';

const highlighter = createHighlighter(
  () => new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' }),
);
let users = 0;

/** Drawn again when colours have come. */
export function useColours(): Pick<Highlighter, 'tokensOf' | 'version'> {
  useSyncExternalStore(highlighter.subscribe, highlighter.version);
  useEffect(() => {
    users += 1;
    return () => {
      users -= 1;
      if (users === 0) highlighter.close();
    };
  }, []);
  return highlighter;
}
