// One worker colours everything that a page shows; it ends when nothing needs it any more.
import { useEffect, useSyncExternalStore } from 'react';
import { createHighlighter } from './highlighter.ts';
import type { Highlighter, Sides } from './highlighter.ts';

const open = () =>
  new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });

interface Shared {
  highlighter: Highlighter;
  users: number;
}

const scrolled: Shared = { highlighter: createHighlighter(open), users: 0 };
const drawnOnce: Shared = { highlighter: createHighlighter(open, Infinity), users: 0 };

function useShared(shared: Shared): Highlighter {
  useEffect(() => {
    shared.users += 1;
    return () => {
      shared.users -= 1;
      if (shared.users === 0) shared.highlighter.close();
    };
  }, [shared]);
  return shared.highlighter;
}

/** For a page that draws what is in view: drawn again when any colours have come. */
export function useColours(): Pick<Highlighter, 'tokensOf'> {
  const highlighter = useShared(scrolled);
  useSyncExternalStore(highlighter.subscribe, highlighter.version);
  return highlighter;
}

/** For one of many texts that are all drawn: drawn again when its own colours have come. */
export function useColoursOf(text: Sides): Pick<Highlighter, 'tokensOf'> {
  const highlighter = useShared(drawnOnce);
  useSyncExternalStore(highlighter.subscribe, () => highlighter.versionOf(text));
  return highlighter;
}
