// How many questions of runs are open, for those who may see them.
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useMayWrite } from './rights.ts';

const MOST = 100;

/** Questions that wait for this person: those of others' roles do not count. */
export function useNeedsYou(): number {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['approvals', 'count'],
    queryFn: ({ signal }) => api.approvals.list({ status: 'open', limit: MOST }, { signal }),
    enabled: mayWrite,
  });
  return data?.items.filter(({ mayAnswer }) => mayAnswer).length ?? 0;
}
