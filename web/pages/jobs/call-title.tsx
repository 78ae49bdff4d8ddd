// Names of calls through the model endpoint, wherever jobs are listed or shown.
import type { JobDetails } from '../../../src/client/index.ts';

type Named = Pick<JobDetails, 'kind' | 'runId' | 'streamId' | 'model'>;

/** A call of no run has no stream that could name it. */
export function titleOf({ kind, runId, streamId, model }: Named): string {
  return kind === 'call' && runId === null ? `Call of ${model}` : streamId;
}

export const keyName = ({ name }: { name: string | null }): string => name ?? 'deleted';

export function CallMark() {
  return (
    <span className="shrink-0 rounded-sm bg-info-soft px-1 text-2xs font-medium text-info">
      Call
    </span>
  );
}
