// Runs one claimed job: calls its model, tries again where that can help, and ends the job.
import { parseArtifact } from '../domain/artifact/parse-artifact.ts';
import { PROCESSING_LIMIT_MS } from '../contract/fields.ts';
import { decideRetry } from '../domain/retry.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { PromptParts, Provider, ProviderFailure, Usage } from '../providers/provider.ts';
import type { ClaimedJob } from '../store/claim-jobs.ts';
import type { JobEnder } from '../store/end-jobs.ts';
import { isUnavailable } from '../store/errors.ts';
import type { JobEnding } from '../store/job-end.ts';
import { fromJsonText, toJsonText } from '../store/json-text.ts';
import type { TextFeed } from '../store/text-feed.ts';
import { callModel } from './model-call.ts';
import type { StopReason } from './running-jobs.ts';

export interface JobRunnerDeps {
  providers: { find(id: string): Provider | undefined };
  ender: JobEnder;
  feed: TextFeed;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };
/** Model calls of one attempt never reach this, so generations of later attempts are larger. */
const GENERATIONS_PER_ATTEMPT = 10;

function add(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    estimated: a.estimated || b.estimated,
  };
}

function completedWith(output: string, streamId: string): JobEnding {
  const parsed = parseArtifact(output, streamId);
  const artifact = parsed.kind === 'found' ? parsed.artifact : undefined;
  return {
    kind: 'completed',
    output: toJsonText(output),
    artifact: artifact && JSON.stringify(artifact),
    filesChanged: JSON.stringify(artifact?.filesChanged ?? []),
  };
}

function failedWith(failure: ProviderFailure): JobEnding {
  return {
    kind: 'failed',
    error: failure.message,
    errorCode: `PROVIDER_${failure.kind.toUpperCase()}`,
  };
}

function stoppedBy(reason: StopReason, job: ClaimedJob): JobEnding {
  switch (reason) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'deadline':
      return { kind: 'failed', error: timeoutText(job), errorCode: 'TIMEOUT' };
    case 'lost':
    case 'drain':
      return { kind: 'usage_only' };
  }
}

function timeoutText(job: ClaimedJob): string {
  return job.remainingMs > PROCESSING_LIMIT_MS
    ? `Processing was stopped after ${PROCESSING_LIMIT_MS} ms`
    : `Job timed out after ${job.timeoutMs} ms`;
}

/** Not handed back: what broke here would break again elsewhere, and cost a call each time. */
function brokenBy(job: ClaimedJob): Result {
  const error = 'The server failed while it ran this job';
  return {
    ending: { kind: 'failed', error, errorCode: 'INTERNAL_ERROR' },
    usage: NO_USAGE,
    generation: job.attempt * GENERATIONS_PER_ATTEMPT,
    called: false,
  };
}

interface Result {
  ending: JobEnding;
  usage: Usage;
  generation: number;
  /** Whether a model was called at all: only then is there something for the ledger. */
  called: boolean;
}

export function createJobRunner(deps: JobRunnerDeps) {
  async function callUntilDone(job: ClaimedJob, signal: AbortSignal): Promise<Result> {
    const first = job.attempt * GENERATIONS_PER_ATTEMPT;
    const provider = deps.providers.find(job.provider);
    if (provider === undefined) {
      const error = `The provider "${job.provider}" is not available on this server`;
      const ending: JobEnding = { kind: 'failed', error, errorCode: 'PROVIDER_UNAVAILABLE' };
      return { ending, usage: NO_USAGE, generation: first, called: false };
    }
    const startedAt = deps.clock.now();
    const request = {
      ownerId: job.userId,
      streamId: job.streamId,
      model: job.model,
      prompt: fromJsonText(job.prompt),
      ...(job.promptParts === null ? {} : { parts: JSON.parse(job.promptParts) as PromptParts }),
      maxTokens: job.maxTokens,
      ...(job.temperature === null ? {} : { temperature: job.temperature }),
      signal,
    };
    let usage = NO_USAGE;
    let restartsAfterText = 0;
    for (let call = 1; ; call++) {
      const generation = first + call - 1;
      let output = '';
      const outcome = await callModel(provider, request, (delta) => {
        output += delta;
        deps.feed.append(job.id, generation, delta);
      });
      usage = add(usage, outcome.usage);
      if (outcome.kind === 'completed') {
        return { ending: completedWith(output, job.streamId), usage, generation, called: true };
      }
      if (outcome.kind === 'aborted' || signal.aborted) {
        return {
          ending: stoppedBy(signal.reason as StopReason, job),
          usage,
          generation,
          called: true,
        };
      }
      const decision = decideRetry({
        failure: outcome.failure,
        call,
        textAppeared: output !== '',
        restartsAfterText,
        remainingMs: limitOf(job) - (deps.clock.now() - startedAt),
        random: Math.random,
      });
      if (decision.kind === 'fail') {
        return { ending: failedWith(outcome.failure), usage, generation, called: true };
      }
      deps.metrics.modelRetries.inc({ kind: outcome.failure.kind });
      if (output !== '') restartsAfterText += 1;
      await deps.clock.sleep(decision.delayMs, signal);
      if (signal.aborted) {
        return {
          ending: stoppedBy(signal.reason as StopReason, job),
          usage,
          generation,
          called: true,
        };
      }
    }
  }

  /** A finished call is worth money: its end is tried until the database takes it. */
  async function endSurely(job: ClaimedJob, result: Result, signal: AbortSignal): Promise<void> {
    const costUsd = deps.providers.find(job.provider)?.costUsd(job.model, result.usage) ?? null;
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 2000)) {
      try {
        const outcome = await deps.ender.end({
          jobId: job.id,
          runId: job.runId,
          userId: job.userId,
          attempt: job.attempt,
          ending: result.ending,
          used: result.called ? { ...result.usage, costUsd } : undefined,
          textGeneration: result.generation,
        });
        if (outcome.kind === 'ended') deps.metrics.jobsEnded.inc({ outcome: result.ending.kind });
        return;
      } catch (error) {
        // Once the job is lost to another node there is nothing left to insist on.
        if (!isUnavailable(error) || signal.reason === 'lost') throw error;
        deps.log.warn({ jobId: job.id, err: error }, 'cannot record the end of a job yet');
        await deps.clock.sleep(delayMs);
      }
    }
  }

  return {
    async run(job: ClaimedJob, controller: AbortController): Promise<void> {
      const timer = setTimeout(() => controller.abort('deadline'), Math.max(0, limitOf(job)));
      try {
        const result = await callUntilDone(job, controller.signal).catch((error: unknown) => {
          deps.log.error({ jobId: job.id, err: error }, 'a bug ended this job');
          return brokenBy(job);
        });
        await deps.feed.settle(job.id);
        await endSurely(job, result, controller.signal);
      } finally {
        clearTimeout(timer);
        deps.feed.end(job.id);
      }
    },
  };
}

function limitOf(job: ClaimedJob): number {
  return Math.min(job.remainingMs, PROCESSING_LIMIT_MS);
}
