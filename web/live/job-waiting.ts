// "Why is it waiting?", in words.
import type { JobWaiting } from '../../src/contract/job-api.ts';

const REASONS: Readonly<Record<JobWaiting['reason'], string>> = {
  rate_limited: 'The provider is rate limiting this job',
  key_paused: 'The provider is rate limiting other jobs of the same key',
  retry: 'A model call failed and will be retried',
  concurrency: 'All concurrent jobs of your plan are in use; it starts when one ends',
};

export function jobWaitingText({ reason, until, detail }: JobWaiting): string {
  const when =
    until === null ? '' : `, until ${new Date(until).toLocaleTimeString()} at the latest`;
  return `${REASONS[reason] ?? reason}${when}${detail ? `: ${detail}` : ''}`;
}
