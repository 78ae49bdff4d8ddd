import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RunEvent } from '../../../../src/contract/run-events.ts';
import { api } from '../../../api/client.ts';
import { useRunVersion } from '../../../live/run-store.ts';
import type { RunStore } from '../../../live/run-store.ts';

const WRITES: ReadonlySet<RunEvent['type']> = new Set([
  'stream.applied',
  'stream.rolled_back',
  'stream.completed',
  'run.reverted',
  'run.reviewed',
]);

/** Asked for again whenever a stream has written something: changes come with the event that tells of them. */
export function useChanges(runId: string, store: RunStore) {
  useRunVersion(store);
  const last = store.events.findLast(({ type }) => WRITES.has(type))?.seq ?? 0;
  return useQuery({
    queryKey: ['run-changes', runId, last],
    queryFn: () => api.getRunChanges(runId),
    placeholderData: keepPreviousData,
  });
}
