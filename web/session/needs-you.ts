// The open questions of runs that this person may answer.
import { useQuery } from '@tanstack/react-query';
import type { ListedApproval } from '../../src/contract/approval-api.ts';
import { api } from '../api/client.ts';
import { useMayWrite } from './rights.ts';

const MOST = 100;

/** Undefined until they are known. */
export function useOpenQuestions(): readonly ListedApproval[] | undefined {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['approvals', 'count'],
    queryFn: ({ signal }) => api.approvals.list({ status: 'open', limit: MOST }, { signal }),
    enabled: mayWrite,
  });
  return data?.items;
}

/** Questions that wait for this person: those of others' roles do not count. */
export function useNeedsYou(): number {
  return useOpenQuestions()?.filter(({ mayAnswer }) => mayAnswer).length ?? 0;
}
