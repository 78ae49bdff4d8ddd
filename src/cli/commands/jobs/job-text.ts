// A job in words.
import type { Job, MillraceClient } from '../../../client/index.ts';
import { argumentsTextOf } from '../../../contract/conversation-texts.ts';
import { showTokens } from '../../terminal/figures.ts';
import { complain, note } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { jobHint } from '../../failure-hints.ts';

export function usageOf(job: Job): string {
  if (!('tokensUsed' in job)) return '';
  return `${showTokens(job.tokensUsed.input)} tokens in, ${showTokens(job.tokensUsed.output)} out`;
}

/** What the text does not show: the tier that it was processed at, and that a part of an answer looks like a whole one. */
export async function noteOnAnswer(client: MillraceClient, jobId: string): Promise<void> {
  // The answer is there and paid for: a look that fails now must not make a failure of it.
  const job = await client.getJobDetails(jobId).catch(() => undefined);
  if (job?.serviceTier === 'flex' && job.usedServiceTier) {
    const isFlex = job.usedServiceTier === 'flex';
    note(isFlex ? 'Tier: flex' : 'Tier: standard (flex was requested)');
  }
  for (const call of job?.toolCalls ?? [])
    note(`Calls ${plain(call.name)} ${plain(argumentsTextOf(call))}`);
  if (job?.status !== 'completed' || job.stopReason !== 'length') return;
  complain(
    `The answer was cut off at ${job.tokensUsed.output} tokens: it is not whole. Ask again with a larger --max-tokens.`,
  );
}

export function showFailure(job: Job & { status: 'failed' }): void {
  note(`Failed: ${plain(job.error)} (${usageOf(job)})`);
}

/** What to do about a failed job, if there is something; returns its error code. */
export async function adviseOnFailure(
  client: MillraceClient,
  jobId: string,
): Promise<string | null> {
  const details = await client.getJobDetails(jobId).catch(() => undefined);
  const hint = details && jobHint(details.errorCode, details.provider);
  if (hint !== undefined) note(hint);
  return details?.errorCode ?? null;
}
