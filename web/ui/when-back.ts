// What could not be loaded is loaded again as soon as the server can be reached, without anybody pressing a button.
import { useEffect, useRef } from 'react';
import { MillraceConnectionError, MillraceError } from '../../src/client/index.ts';

const ASK_EVERY_MS = 3000;

/** Where the server was when something failed. `perhaps`: it, or a proxy before it, could not do it. */
type Away = 'yes' | 'perhaps' | 'no';

/** A restart changes nothing about an answer: not found stays not found. */
function awayAt(error: unknown): Away {
  if (error instanceof MillraceConnectionError) return 'yes';
  if (error instanceof MillraceError) return error.status >= 500 ? 'perhaps' : 'no';
  // What browsers throw for a part of the page that could not be fetched.
  return error instanceof TypeError ? 'perhaps' : 'no';
}

async function isReady(): Promise<boolean> {
  try {
    return (await fetch('/readyz', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}

/** Calls when the server is ready after it was not. What fails although the server is there would only fail again. */
export function useWhenBack(failure: unknown, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  const away = awayAt(failure);
  useEffect(() => {
    if (away === 'no') return undefined;
    let wasAway = away === 'yes';
    const ask = () =>
      void isReady().then((ready) => {
        if (ready && wasAway) latest.current();
        wasAway = !ready;
      });
    ask();
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [away]);
}
