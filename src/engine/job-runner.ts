// Runs one claimed job and ends it.
import { largestCost } from '../domain/usage/largest-cost.ts';
import { isKeptForAnHour } from '../domain/prompt/caching-hints.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import { parseLabelled } from '../domain/artifact/parse-artifact.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import type { Provider } from '../providers/provider.ts';
import { postponeJob } from '../store/jobs/requeue-jobs.ts';
import type { ClaimedJob } from '../store/jobs/claim-jobs.ts';
import type { Db } from '../store/postgres/db.ts';
import type { JobFinalizer } from '../store/jobs/finalize-jobs.ts';
import { isUnavailable } from '../store/postgres/errors.ts';
import { timedOut } from '../store/jobs/job-outcome.ts';
import type { JobEnd, JobEnding } from '../store/jobs/job-outcome.ts';
import { fromJsonText, toJsonText } from '../store/postgres/json-text.ts';
import { reserveAgain } from '../store/usage/reserve-again.ts';
import type { TextFeed } from '../store/jobs/text-feed.ts';
import { updateUsedSoFar } from '../store/jobs/used-so-far.ts';
import type { WaitFeed } from '../store/jobs/wait-feed.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { JobKeys } from './job-keys.ts';
import { conversationOf, partsOf } from './model-request.ts';
import { createModelSessions } from './model-session.ts';
import type { SessionEnd, SessionResult } from './model-session.ts';
import type { AbortReason } from './running-jobs.ts';

export interface JobRunnerDeps {
  /** The most that a model may work on one job. */
  processingLimitMs: number;
  /** What is kept at least of a job's time for the standard tier, of jobs that ask for flex. */
  leastStandardMs: number;
  price: Price;
  db: Db;
  providers: { find(id: string): Provider | undefined };
  keys: JobKeys;
  rateLimiter: RateLimiter;
  finalizer: JobFinalizer;
  feed: TextFeed;
  waits: WaitFeed;
  clock: Clock;
  log: Logger;
  scrubber: Scrubber;
  metrics: Metrics;
  telemetry: Telemetry;
}

function completedWith(
  { output, stopReason, turn }: Extract<SessionEnd, { kind: 'completed' }>,
  streamId: string,
): JobEnding {
  const parsed = parseLabelled(output, streamId);
  const artifact = parsed.kind === 'found' ? parsed.artifact : undefined;
  return {
    kind: 'completed',
    stopReason,
    output: toJsonText(output),
    artifact: artifact && JSON.stringify(artifact),
    filesChanged: JSON.stringify(artifact?.filesChanged ?? []),
    toolCalls: turn && JSON.stringify(turn.toolCalls),
    opaqueAnswer: turn?.opaque && JSON.stringify(turn.opaque),
  };
}

interface Running {
  job: ClaimedJob;
  processingLimitMs: number;
}

function stoppedBy(reason: AbortReason, running: Running): JobEnding {
  switch (reason) {
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'deadline':
      return timeoutOf(running);
    case 'lost':
    case 'drain':
      return { kind: 'usage_only' };
  }
}

function timeoutOf({ job, processingLimitMs }: Running): JobEnding {
  if (job.remainingMs <= processingLimitMs) return timedOut(job.timeoutMs);
  const error = `The model ran longer than ${processingLimitMs} ms`;
  return { kind: 'failed', error, errorCode: 'TIMEOUT' };
}

function endingOf({ end }: SessionResult, running: Running, signal: AbortSignal): JobEnding {
  switch (end.kind) {
    case 'completed':
      return completedWith(end, running.job.streamId);
    case 'failed':
      return end;
    case 'stopped':
      return stoppedBy(signal.reason as AbortReason, running);
    case 'postponed':
      return { kind: 'usage_only' };
  }
}

/**
 * The end of a job that a bug of ours met after its call. The job is not requeued: what broke here would
 * break again elsewhere, and cost a call each time. Its tokens are counted and its text is kept.
 */
const UNPROCESSED: JobEnding = {
  kind: 'failed',
  error: 'The model answered, but the server failed to process the answer',
  errorCode: 'ANSWER_UNPROCESSED',
};

export function createJobRunner(deps: JobRunnerDeps) {
  const sessions = createModelSessions({
    ...deps,
    onText: (job, generation, delta) => deps.feed.append(job.id, generation, delta),
    async keepUsed({ id, attempt }, generation, used) {
      try {
        await updateUsedSoFar(deps.db, id, { attempt, generation, used });
      } catch (error) {
        // Only for the case that this worker dies; otherwise the end has all of it.
        deps.log.warn({ jobId: id, err: error }, 'could not save what a failed call used');
      }
    },
    async reserveAgain(job) {
      const keptForAnHour = isKeptForAnHour(partsOf(job).caching ?? {});
      const { conversation: _, ...priced } = job;
      const prompt = fromJsonText(job.prompt);
      const call = { ...priced, ...conversationOf(job), prompt, keptForAnHour };
      const costUsd = largestCost(deps.price, call);
      try {
        return costUsd !== null && (await reserveAgain(deps.db, job, costUsd));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        // It is not known whether it fits; the call that failed is how the job ends.
        deps.log.warn(
          { jobId: job.id, err: error },
          'could not ask whether the budget allows a retry',
        );
        return false;
      }
    },
  });

  /** What is left to write when the end of a job cannot be written as it is. */
  function* endingsOf(
    running: Running,
    result: SessionResult,
    signal: AbortSignal,
  ): Generator<Pick<JobEnd, 'ending' | 'used' | 'text'>> {
    const used = result.called ? result.used : undefined;
    const { text } = result;
    let ending = UNPROCESSED;
    try {
      ending = endingOf(result, running, signal);
    } catch (error) {
      deps.log.error({ jobId: running.job.id, err: error }, 'could not read an answer: a bug');
    }
    yield { ending, used, text };
    yield { ending: UNPROCESSED, used, text };
    yield { ending: UNPROCESSED, used: undefined, text: '' };
  }

  /**
   * A finished call is worth money: its end is tried until the database takes it, also by a node that may have been
   * given up meanwhile. If its attempt still counts, the job ends with this answer; otherwise only what it used is
   * recorded, in the place of an estimate. An end that the database refuses is a bug of ours, and the job fails by it
   * once: left open, it would count as lost by its worker.
   */
  async function endSurely(
    running: Running,
    result: SessionResult,
    signal: AbortSignal,
  ): Promise<void> {
    const { job } = running;
    const endings = endingsOf(running, result, signal);
    let current = endings.next().value;
    // What a call used is added to the job, so a second try must not add it again.
    let recorded = false;
    for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 2000)) {
      try {
        if (!recorded) {
          const outcome = await deps.finalizer.end({
            jobId: job.id,
            runId: job.runId,
            teamId: job.teamId,
            executionId: job.executionId,
            attempt: job.attempt,
            ...current,
            usedServiceTier: result.usedServiceTier,
            textGeneration: result.generation,
          });
          recorded = true;
          if (outcome.kind === 'ended') {
            deps.metrics.jobsEnded.inc({ outcome: current.ending.kind });
          }
        }
        if (current.ending.kind === 'usage_only' && result.end.kind === 'postponed') {
          await postponeJob(deps.db, job, { delayMs: result.end.delayMs, calls: result.calls });
        }
        return;
      } catch (error) {
        if (!isUnavailable(error)) {
          const next = endings.next();
          // A job that another node runs next, or that has ended, is not for this one to fail.
          const isOurs = result.end.kind !== 'stopped' || signal.reason === 'deadline';
          if (next.done || !isOurs) throw error;
          deps.log.error({ jobId: job.id, err: error }, 'could not end a job: a bug');
          current = recorded ? { ...next.value, used: undefined } : next.value;
          recorded = false;
          continue;
        }
        deps.log.warn(
          { jobId: job.id, err: error },
          'could not save the result of a job; retrying',
        );
        await deps.clock.sleep(delayMs);
      }
    }
  }

  const startSpan = (job: ClaimedJob) =>
    deps.telemetry.start('job', {
      kind: 'consumer',
      parent: job.trace,
      attributes: {
        'millrace.job.id': job.id,
        'millrace.run.id': job.runId ?? undefined,
        'millrace.stream.id': job.streamId,
        'millrace.team.id': job.teamId,
        'millrace.execution.id': job.executionId ?? undefined,
        'millrace.job.attempt': job.attempt,
        'millrace.job.waited_ms': Math.round(job.timeoutMs - job.remainingMs),
      },
    });

  return {
    async run(job: ClaimedJob, controller: AbortController): Promise<void> {
      const { processingLimitMs } = deps;
      const limitMs = Math.max(0, Math.min(job.remainingMs, processingLimitMs));
      const timer = setTimeout(() => controller.abort('deadline'), limitMs);
      const { signal } = controller;
      const span = startSpan(job);
      try {
        const traced = span.context === undefined ? job : { ...job, trace: span.context };
        const result = await sessions.run(traced, limitMs, signal);
        await deps.feed.settle(job.id);
        await endSurely({ job, processingLimitMs }, result, signal);
        const { end } = result;
        span.set({ 'millrace.job.outcome': end.kind });
        span.end(end.kind === 'failed' ? end.errorCode : undefined);
      } catch (error) {
        span.end('bug');
        throw error;
      } finally {
        clearTimeout(timer);
        deps.feed.end(job.id);
      }
    },
  };
}
