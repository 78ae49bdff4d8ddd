// What a caller sees of a job. The large parts are stored as JSON text and go out as they are: a
// finished result is put together by joining strings, never by parsing and printing it again.
import type { JobWaiting } from '../../contract/job-api.ts';
import type { JobRow } from '../../store/jobs/jobs.ts';

function tokensUsed(job: JobRow): string {
  return `"tokensUsed":{"input":${job.tokensInput},"output":${job.tokensOutput}}`;
}

const statusField = ({ status }: Pick<JobRow, 'status'>) => `"status":"${status}"`;

/** The plain view of a job that has not ended. */
export const openView = (job: Pick<JobRow, 'status'>) => `{${statusField(job)}}`;

/** The fields of the plain view, as the inside of a JSON object. */
function plainFields(job: JobRow): string {
  switch (job.status) {
    case 'pending':
    case 'running':
      return statusField(job);
    case 'completed': {
      const artifact = job.artifact === null ? '' : `"artifact":${job.artifact},`;
      return `"status":"completed","output":${job.output ?? '""'},${artifact}${tokensUsed(job)}`;
    }
    case 'failed':
      return `"status":"failed","error":${job.error ?? '""'},${tokensUsed(job)}`;
  }
}

/** Of a turn of a conversation: what it calls, and the message to send with the next turn. */
function turnFields({ status, output, toolCalls, opaqueAnswer }: JobRow): string {
  if (status !== 'completed' || toolCalls === null) return '';
  const opaque = opaqueAnswer === null ? '' : `,"opaque":${opaqueAnswer}`;
  const message = `{"role":"assistant","text":${output ?? '""'},"toolCalls":${toolCalls}${opaque}}`;
  return `,"toolCalls":${toolCalls},"assistantMessage":${message}`;
}

function fullFields(job: JobRow): string {
  const fields = JSON.stringify({
    jobId: job.id,
    kind: job.kind,
    streamId: job.streamId,
    runId: job.runId,
    model: job.model,
    provider: job.provider,
    simulated: job.simulated,
    reasoning: job.reasoning,
    serviceTier: job.serviceTier,
    usedServiceTier: job.usedServiceTier,
    apiKey: job.apiKeyId === null ? null : { id: job.apiKeyId, name: job.apiKeyName },
    attempt: job.attempt,
    queuedAt: job.queuedAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    endedAt: job.endedAt?.toISOString() ?? null,
    // A sum that leaves some calls out must not look like the price of the job.
    costUsd: job.unpricedCalls > 0 ? null : job.costUsd,
    ...(job.unpricedCalls > 0 ? { unpricedCalls: job.unpricedCalls } : {}),
    savedUsd: job.savedUsd,
    usageEstimated: job.usageEstimated,
    cachedInputTokens: job.tokensCached,
    reasoningTokens: job.tokensReasoning,
    stopReason: job.stopReason,
    errorCode: job.errorCode,
  });
  const partial = job.status === 'failed' ? `,"partialOutput":${job.partialOutput ?? 'null'}` : '';
  return fields.slice(1, -1) + partial + turnFields(job);
}

export function plainView(job: JobRow): string {
  return `{${plainFields(job)}}`;
}

/** `waiting`: of an open job that waits for something. */
export function fullView(job: JobRow, waiting?: JobWaiting): string {
  const wait = waiting === undefined ? '' : `,"waiting":${JSON.stringify(waiting)}`;
  return `{${plainFields(job)},${fullFields(job)}${wait}}`;
}

export function isEnded(job: Pick<JobRow, 'status'>): boolean {
  return job.status === 'completed' || job.status === 'failed';
}
