// An execution as it goes: asked for once, and again whenever its topic says that something happened.
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Execution } from '../../../src/contract/execution-api.ts';
import type { ListedJob } from '../../../src/contract/job-list-api.ts';
import { api } from '../../api/client.ts';
import { listJobs } from '../../api/jobs.ts';
import { queryClient } from '../../session/query-client.ts';
import { subscribe } from '../../live/live.ts';

export function useExecution(id: string) {
  const query = useQuery({ queryKey: ['execution', id], queryFn: () => api.executions.get(id) });
  useEffect(
    () =>
      subscribe(`execution:${id}`, (messages) => {
        const done = messages.find(({ event }) => event === 'done');
        if (done) queryClient.setQueryData(['execution', id], done.data);
        else if (messages.some(({ event }) => event !== 'refused')) {
          void queryClient.invalidateQueries({ queryKey: ['execution', id] });
        }
        void queryClient.invalidateQueries({ queryKey: ['jobs', 'of-execution', id] });
      }),
    [id],
  );
  return query;
}

/** The model calls of an execution, the newest of each stream; `plan` is the planning itself. */
export function useJobsOfExecution(execution: Execution): ReadonlyMap<string, ListedJob> {
  const { data } = useQuery({
    queryKey: ['jobs', 'of-execution', execution.id],
    queryFn: () => listJobs({ runId: execution.runId, limit: 100 }),
  });
  return new Map((data?.items ?? []).toReversed().map((job) => [job.streamId, job]));
}
