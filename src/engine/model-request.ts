// What a job asks its provider for.
import { boundedLength, isOpenLength } from '../domain/model/model-limits.ts';
import type { Caching } from '../domain/prompt/caching-hints.ts';
import { readConversation } from '../domain/prompt/conversation.ts';
import type { PromptParts, ProviderRequest } from '../providers/provider.ts';
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';
import { fromJsonText } from '../store/postgres/json-text.ts';
import type { JobKey } from './job-keys.ts';

export function partsOf(job: ClaimedJob): Pick<ProviderRequest, 'parts' | 'caching'> {
  if (job.promptParts === null) return {};
  const { caching, ...parts } = JSON.parse(job.promptParts) as PromptParts & { caching?: Caching };
  return { parts, ...(caching ? { caching } : {}) };
}

export function conversationOf(job: ClaimedJob): Pick<ProviderRequest, 'conversation'> {
  if (job.conversation === null) return {};
  return { conversation: readConversation(job.conversation, fromJsonText(job.prompt)) };
}

/** A budget is kept by a length that the vendor keeps to. */
function lengthOf(job: ClaimedJob): Pick<ProviderRequest, 'maxTokens'> {
  const model = `${job.provider}:${job.model}`;
  const isLimited = job.reservedUsd !== null || job.payOnce;
  if (isLimited) return { maxTokens: boundedLength(model, job.maxTokens) };
  return isOpenLength(model, job.maxTokens) ? {} : { maxTokens: job.maxTokens };
}

export function requestOf(job: ClaimedJob, key: JobKey, signal: AbortSignal): ProviderRequest {
  return {
    ownerId: job.userId,
    cacheScope: `${job.userId}:${job.runId}`,
    streamId: job.streamId,
    model: job.model,
    prompt: fromJsonText(job.prompt),
    ...partsOf(job),
    ...conversationOf(job),
    ...lengthOf(job),
    ...(job.temperature === null ? {} : { temperature: job.temperature }),
    ...(job.reasoning === null ? {} : { reasoning: job.reasoning }),
    ...(job.serviceTier === null ? {} : { serviceTier: 'standard' }),
    ...(key.value === undefined ? {} : { apiKey: key.value }),
    signal,
  };
}
