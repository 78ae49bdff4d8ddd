// The calls that agents of a run made through the model endpoint, newest first.
import { useQuery } from '@tanstack/react-query';
import { listJobs } from '../../api/jobs.ts';

export function useRunCalls(runId: string) {
  const filter = { runId, kind: 'call' };
  return useQuery({ queryKey: ['jobs', filter], queryFn: () => listJobs(filter) });
}
