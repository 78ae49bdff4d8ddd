// A job as it goes: its state in full, and its text as it is written.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../api/client.ts';
import { queryClient } from '../../session/query-client.ts';
import { useJobText } from '../../live/job-text.ts';

export function useJob(jobId: string) {
  const query = useQuery({ queryKey: ['job', jobId], queryFn: () => api.getJobDetails(jobId) });
  const live = useJobText(jobId);
  const { status, isDone } = live;
  useEffect(() => {
    // Its tokens, its cost and what it waits for are in the full view only.
    void queryClient.invalidateQueries({ queryKey: ['job', jobId] });
  }, [jobId, status, isDone]);
  return { query, live };
}
