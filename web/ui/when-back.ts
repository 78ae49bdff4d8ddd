// What could not be loaded is loaded again as soon as the server can be reached, without anybody pressing a button.
import { useEffect, useRef } from 'react';

const ASK_EVERY_MS = 3000;

async function isReady(): Promise<boolean> {
  try {
    return (await fetch('/readyz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/**
 * Calls when the server is ready after it was not. `isAway`: it is known that it was not. What fails although the
 * server is there would only fail again.
 */
export function useWhenBack(isAway: boolean, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    let wasAway = isAway;
    const ask = () =>
      void isReady().then((ready) => {
        if (ready && wasAway) latest.current();
        wasAway = !ready;
      });
    ask();
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isAway]);
}
