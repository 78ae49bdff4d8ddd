// The runner that made a run, if one did: what a page can have it do with the run.
import { useQuery } from '@tanstack/react-query';
import type { RunRequest } from '../../../src/contract/run-request-api.ts';
import type { Runner } from '../../../src/contract/runner-api.ts';
import { api } from '../../api/client.ts';
import { useMayWrite } from '../../session/rights.ts';
import { useRunners } from '../runners/use-runners.ts';

export interface Maker {
  /** That made the run. */
  request: RunRequest;
  /** The files of a run are with this runner alone. */
  name: string;
  /** It takes what it is asked for now. */
  isConnected: boolean;
  /** What the runner was asked to do with the run and has not done yet. */
  open: RunRequest | undefined;
  /** As the runner said last. */
  pullRequest: string | undefined;
}

const stateOf = (runners: readonly Runner[], id: string | undefined) =>
  runners.find((each) => each.id === id)?.state;

/** Undefined: a command line made it, or nobody knows yet. */
export function useMaker(runId: string): Maker | undefined {
  const mayWrite = useMayWrite();
  const { data } = useQuery({
    queryKey: ['requests', { runId }],
    queryFn: ({ signal }) => api.runRequests.list({ runId }, { signal }),
    enabled: mayWrite,
    select: ({ items }) => ({
      request: items.find(({ runIds, runner }) => runner !== null && runIds.includes(runId)),
      open: items.find(({ endedAt }) => endedAt === null),
      pullRequest: items.flatMap(({ outcome }) => outcome?.requestUrl ?? [])[0],
    }),
  });
  const request = data?.request;
  const { data: runners } = useRunners({ enabled: request !== undefined });
  if (data === undefined || request === undefined || runners === undefined) return undefined;
  return {
    request,
    name: request.runner!.name,
    isConnected: stateOf(runners.items, request.runner!.id) === 'connected',
    open: data.open,
    pullRequest: data.pullRequest,
  };
}
