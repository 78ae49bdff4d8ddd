// The store of a run that was shared: filled by asking, because a visitor has no stream of events.
import { useEffect, useMemo } from 'react';
import { createRunStore } from './run-store.ts';
import type { RunStore } from './run-store.ts';
import type { SharedRun } from '../../src/contract/run-shares-api.ts';

/** Takes what was asked for last; what was there before is left out by its number. */
export function useSharedStore(shared: SharedRun | undefined): RunStore {
  const store = useMemo(() => createRunStore(), []);
  useEffect(() => {
    if (shared === undefined) return;
    const { events, isLive, progress } = shared;
    store.receive([
      { topic: 'run', event: 'events', data: { events } },
      { topic: 'run', event: 'progress', data: { isLive, progress } },
    ]);
  }, [shared, store]);
  return store;
}
