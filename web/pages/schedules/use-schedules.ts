// Runs that a schedule asks for are news of the team; that it skipped a time, or that another person changed it, is not.
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const LOOK_AGAIN_MS = 15_000;

export function useSchedules() {
  return useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => api.schedules.list({ signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** `isFresh`: not as it was a moment ago. */
export function useSchedule(id: string, { isFresh = false } = {}) {
  return useQuery({
    queryKey: ['schedule', id],
    queryFn: ({ signal }) => api.schedules.get(id, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    refetchOnMount: isFresh ? 'always' : true,
  });
}

export function useFirings(id: string) {
  return useQuery({
    queryKey: ['schedule-firings', id],
    queryFn: ({ signal }) => api.schedules.firings(id, { limit: 100 }, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
}
