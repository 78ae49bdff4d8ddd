import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { RunManifest } from '../../../../src/contract/run-report-api.ts';
import { call } from '../../../api/client.ts';

/** The same for the whole run; null where its command line did not report it. */
export function useRunManifest(runId: string): UseQueryResult<{ manifest: RunManifest | null }> {
  return useQuery({
    queryKey: ['run-manifest', runId],
    queryFn: () =>
      call<{ manifest: RunManifest | null }>(
        'GET',
        `/api/v1/runs/${encodeURIComponent(runId)}/manifest`,
      ),
  });
}
