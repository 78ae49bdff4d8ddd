// The runner that made a run, if one did and is connected: what a page can have it do with the run.
import { useQuery } from '@tanstack/react-query';
import type { RunRequest } from '../../../src/contract/run-request-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { useRunners } from '../runners/use-runners.ts';

export interface Maker {
  /** That made the run. */
  request: RunRequest;
  runner: { id: string; name: string };
}

/** Undefined: nobody can be asked from here. The files of a run are with one runner alone. */
export function useMaker(runId: string): Maker | undefined {
  const mayWrite = useMayWrite();
  const { data: request } = useQuery({
    queryKey: ['requests', { runId }],
    queryFn: ({ signal }) => api.runRequests.list({ runId }, { signal }),
    enabled: mayWrite,
    select: ({ items }) =>
      items.find(({ runIds, runner }) => runner !== null && runIds.includes(runId)),
  });
  const { data: runners } = useRunners({ enabled: request !== undefined });
  const runner = runners?.items.find(({ id }) => id === request?.runner?.id);
  if (request === undefined || runner?.state !== 'connected') return undefined;
  return { request, runner };
}
