// What was asked of a job: as one text, or by its parts, those first that vendors can cache.
import { useQuery } from '@tanstack/react-query';
import type { JobRequest } from '../../../src/contract/job-list-api.ts';
import { getJobRequest } from '../../api/jobs.ts';
import { PromptParts } from '../../ui/prompt-parts.tsx';
import { Loaded } from '../../ui/surface.tsx';

const PARTS = ['systemContent', 'projectContext', 'streamContext', 'taskContent'] as const;

export function useJobRequest(jobId: string) {
  return useQuery({
    queryKey: ['job-request', jobId],
    queryFn: () => getJobRequest(jobId),
    // It never changes.
    staleTime: Infinity,
  });
}

function partsOf({ prompt, structuredPrompt }: JobRequest) {
  if (structuredPrompt === null) return [{ name: 'prompt', text: prompt }];
  return PARTS.map((name) => ({ name, text: structuredPrompt[name] ?? '' })).filter(
    ({ text }) => text !== '',
  );
}

export function JobPrompt({ jobId }: { jobId: string }) {
  return (
    <Loaded query={useJobRequest(jobId)}>
      {(request) => <PromptParts parts={partsOf(request)} />}
    </Loaded>
  );
}
