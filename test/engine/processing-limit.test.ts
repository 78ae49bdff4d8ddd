import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createJobRunner } from '../../src/engine/job-runner.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createProviders } from '../../src/providers/registry.ts';
import type { ClaimedJob } from '../../src/store/claim-jobs.ts';
import type { JobEnd } from '../../src/store/job-end.ts';
import { toJsonText } from '../../src/store/json-text.ts';
import { createTextFeed } from '../../src/store/text-feed.ts';
import { verifies } from '../support/verifies.ts';

const TEN_MINUTES = 600_000;

// Ten minutes pass on a clock of the test's own, so this one runs without a database.
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function claimedJob(timeoutMs: number): ClaimedJob {
  return {
    id: 'job_1',
    userId: 'user_1',
    runId: 'run_1',
    streamId: 'a',
    provider: 'simulator',
    model: 'sim-standard',
    maxTokens: 200_000,
    temperature: null,
    // Never silent for long, and never done.
    prompt: toJsonText('[[sim:tokens 200000]] [[sim:pace 30000]]'),
    promptParts: null,
    attempt: 1,
    queuedAt: new Date(),
    timeoutMs,
    remainingMs: timeoutMs,
  };
}

async function startRunner(timeoutMs: number): Promise<JobEnd[]> {
  const ends: JobEnd[] = [];
  const nothing = { rows: [], rowCount: 0 };
  const runner = createJobRunner({
    providers: createProviders({ simulator: true }),
    ender: {
      async end(job) {
        ends.push(job);
        return { kind: 'ended', was: 'running', attempt: 1 };
      },
      idle: async () => undefined,
    },
    feed: createTextFeed({
      db: { query: async () => nothing },
      signals: {
        emit: () => undefined,
        on: () => () => undefined,
        receive: () => undefined,
        flush: async () => undefined,
      },
      onError: () => undefined,
    }),
    clock: systemClock,
    log: createLogger({ level: 'silent', scrubber: createScrubber(), write: () => undefined }),
    metrics: createMetrics(async () => ({ running: 0, pending: 0, oldestPendingSeconds: 0 })),
  });
  void runner.run(claimedJob(timeoutMs), new AbortController());
  return ends;
}

it('the processing of a job is cut after ten minutes, although an hour was asked for', async () => {
  verifies('job.timeout.server');
  const ends = await startRunner(3_600_000);
  await vi.advanceTimersByTimeAsync(TEN_MINUTES - 1);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toMatchObject([
    {
      jobId: 'job_1',
      ending: {
        kind: 'failed',
        errorCode: 'TIMEOUT',
        error: 'Processing was stopped after 600000 ms',
      },
    },
  ]);
  expect(ends[0]?.used?.output).toBeGreaterThan(0);
});

it('a deadline of the job itself that comes earlier counts', async () => {
  verifies('job.timeout.server');
  const ends = await startRunner(90_000);
  await vi.advanceTimersByTimeAsync(90_000);
  expect(ends).toMatchObject([{ ending: { error: 'Job timed out after 90000 ms' } }]);
});
