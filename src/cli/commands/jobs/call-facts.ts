// What a call through the model endpoint was and used: nothing of it is in the answer.
import type { JobDetails, MillraceClient } from '../../../client/index.ts';
import { showTokens, showUsd } from '../../terminal/figures.ts';
import { note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';

function tokensText(job: JobDetails): string | undefined {
  if (!('tokensUsed' in job)) return undefined;
  const { input, output } = job.tokensUsed;
  const cached = job.cachedInputTokens > 0 ? ` (${showTokens(job.cachedInputTokens)} cached)` : '';
  const reasoning = job.reasoningTokens ? ` (${showTokens(job.reasoningTokens)} reasoning)` : '';
  const estimated = job.usageEstimated ? ', estimated' : '';
  return `${showTokens(input)} in${cached}, ${showTokens(output)} out${reasoning}${estimated}`;
}

function factsOf(job: JobDetails): [name: string, value: string | undefined][] {
  const { apiKey, runId } = job;
  return [
    ['Model', `${plain(job.model)}${job.simulated ? ' (simulated)' : ''}`],
    ['Key', apiKey ? `${plain(apiKey.name ?? 'deleted key')} (${apiKey.id})` : undefined],
    ['Run', runId === null ? undefined : `${plain(runId)}, stream ${plain(job.streamId)}`],
    ['Tokens', tokensText(job)],
    ['Cost', job.endedAt === null ? undefined : showUsd(job.costUsd)],
  ];
}

/** Nothing for a job that is none. */
export async function noteOnCall(client: MillraceClient, jobId: string): Promise<void> {
  // The answer has been shown: a look that fails now must not make a failure of it.
  const job = await client.getJobDetails(jobId).catch(() => undefined);
  if (job?.kind !== 'call') return;
  for (const [name, value] of factsOf(job)) {
    if (value !== undefined) note(`${name.padEnd(7)}${value}`);
  }
}
