// The optimistic start of a job: a worker in the process that accepts jobs offers its free slots to the transaction that
// accepts them (see engine/dispatcher).
import type { ClaimedJob } from './claim-jobs.ts';
import type { SubmitRow } from './submit-rows.ts';

export interface OptimisticStart {
  /** Up to `count` slots for jobs that are being accepted; undefined when others come first. */
  offer(count: number): OfferedSlots | undefined;
}

export interface OfferedSlots {
  nodeId: string;
  count: number;
  /** Runs what was given to this node, once it is committed. */
  start(jobs: readonly ClaimedJob[]): void;
  /** To be called in any case, after the start. */
  release(): void;
}

/** The job as a claim would have returned it. */
export function startedJob({ job, runId, reservedUsd }: SubmitRow, now: Date): ClaimedJob {
  return {
    id: job.jobId,
    userId: job.userId,
    teamId: job.teamId,
    runId: runId ?? null,
    executionId: job.executionId ?? null,
    streamId: job.streamId,
    provider: job.provider,
    model: job.model,
    maxTokens: job.maxTokens,
    temperature: job.temperature ?? null,
    reasoning: job.reasoning ?? null,
    serviceTier: job.serviceTier ?? null,
    prompt: job.prompt,
    promptParts: job.promptParts ?? null,
    conversation: job.conversation ?? null,
    sealedKey: job.sealedKey ?? null,
    attempt: 1,
    calls: 0,
    payOnce: job.payOnce === true,
    hasUsage: false,
    reservedUsd: reservedUsd ?? null,
    queuedAt: now,
    trace: job.trace ?? null,
    timeoutMs: job.timeoutMs,
    remainingMs: job.timeoutMs,
  };
}
