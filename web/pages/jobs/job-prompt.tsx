// What was asked: as one text, or by its parts, those first that vendors can cache.
import { useQuery } from '@tanstack/react-query';
import type { JobRequest } from '../../../src/contract/job-list-api.ts';
import { getJobRequest } from '../../api/jobs.ts';
import { CopyBlock } from '../../ui/copy.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Loaded } from '../../ui/surface.tsx';

const PARTS: readonly [keyof NonNullable<JobRequest['structuredPrompt']>, string][] = [
  ['systemContent', 'System: cached for everything'],
  ['projectContext', 'Project: cached within the run'],
  ['streamContext', 'Stream: cached for this stream'],
  ['taskContent', 'Task: not cached'],
];

export function useJobRequest(jobId: string) {
  return useQuery({
    queryKey: ['job-request', jobId],
    queryFn: () => getJobRequest(jobId),
    // It never changes.
    staleTime: Infinity,
  });
}

function Part({ name, text }: { name: string; text: string }) {
  return (
    <section className="flex flex-col gap-1.5">
      <h2 className="flex items-baseline gap-2 text-xs font-medium text-soft">
        {name}
        <span className="text-faint tabular">{formatBytes(new Blob([text]).size)}</span>
      </h2>
      <div className="max-h-[60vh] overflow-y-auto">
        <CopyBlock text={text} label={name} />
      </div>
    </section>
  );
}

export function JobPrompt({ jobId }: { jobId: string }) {
  return (
    <Loaded query={useJobRequest(jobId)}>
      {({ prompt, structuredPrompt }) => (
        <div className="flex flex-col gap-4">
          {structuredPrompt === null ? (
            <Part name="Prompt" text={prompt} />
          ) : (
            PARTS.filter(([name]) => structuredPrompt[name]).map(([name, label]) => (
              <Part key={name} name={label} text={structuredPrompt[name] ?? ''} />
            ))
          )}
        </div>
      )}
    </Loaded>
  );
}
