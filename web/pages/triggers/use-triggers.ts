// Runs that a trigger asks for are news of the team; that it ignored an event, or that another person changed it, is not.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const LOOK_AGAIN_MS = 15_000;
const PAGE = 30;

export function useTriggers() {
  return useQuery({
    queryKey: ['triggers'],
    queryFn: ({ signal }) => api.triggers.list({ signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
}

/** `isFresh`: not as it was a moment ago. */
export function useTrigger(id: string, { isFresh = false } = {}) {
  return useQuery({
    queryKey: ['trigger', id],
    queryFn: ({ signal }) => api.triggers.get(id, { signal }),
    refetchInterval: LOOK_AGAIN_MS,
    refetchOnMount: isFresh ? 'always' : true,
  });
}

export function useTriggerDeliveries(id: string) {
  return useInfiniteQuery({
    queryKey: ['trigger-deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      api.triggers.deliveries(
        id,
        { limit: PAGE, ...(pageParam === '' ? {} : { before: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items) }),
    refetchInterval: LOOK_AGAIN_MS,
  });
}
