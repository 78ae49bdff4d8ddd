// Jobs as their owner uses them: submit, look, wait, cancel.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../contract/errors.ts';
import type { ExecuteRequest, JobWaiting } from '../../contract/job-api.ts';
import { JOB_ID_PATTERN } from '../../contract/fields.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Access } from '../access.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { CANCELLED_CODE } from '../../store/jobs/job-outcome.ts';
import type { JobFinalizer } from '../../store/jobs/finalize-jobs.ts';
import { createJobReads } from '../../store/jobs/jobs.ts';
import { findWait } from '../../store/jobs/wait-feed.ts';
import { readTexts } from '../../store/jobs/archived-texts.ts';
import type { TextStore } from '../../store/jobs/archived-texts.ts';
import type { JobRow } from '../../store/jobs/jobs.ts';
import type { JobWatch } from './job-watch.ts';
import { fullView, isEnded, openView, plainView } from './job-view.ts';
import { submitJob } from './submit.ts';
import type { SubmitDeps, SubmitOptions, Submitted } from './submit.ts';

export type JobViewName = 'plain' | 'full';

/** JSON; bytes when it is large, because turning a long text into bytes each time costs more. */
export type JobBody = string | Buffer;

export interface JobService {
  submit(identity: Identity, request: ExecuteRequest, options: SubmitOptions): Promise<Submitted>;
  /** The job as JSON, after up to `waitMs` when it has not ended. */
  view(identity: Identity, jobId: string, options: ViewOptions): Promise<JobBody>;
  cancel(identity: Identity, jobId: string): Promise<{ cancelled: boolean }>;
  /** The job's row, for its owner only. */
  find(identity: Identity, jobId: string): Promise<JobRow>;
  /** The same, without texts that are kept elsewhere. */
  findRow(identity: Identity, jobId: string): Promise<JobRow>;
  /** What an open job waits for, when it does. */
  findWaiting(job: JobRow): Promise<JobWaiting | undefined>;
}

export interface ViewOptions {
  view: JobViewName;
  waitMs: number;
  signal: AbortSignal;
}

/** A lost wake-up costs a waiter at most this. */
const RECHECK_MS = 2000;
/** How long a cancel waits for the worker to tell the tokens used; usually a few milliseconds. */
const SETTLE_MS = 1000;
const CACHE_BYTES = 64 * 1024 * 1024;

const LARGE_BODY = 16 * 1024;

interface CachedViews {
  /** Of the row that they show. */
  version: string;
  plain: JobBody;
  full: JobBody;
}

function asBody(json: string): JobBody {
  return json.length < LARGE_BODY ? json : Buffer.from(json);
}

function notFound(): ServiceError {
  return new ServiceError('NOT_FOUND', 'There is no job with this id.');
}

export function createJobService(
  deps: SubmitDeps & {
    access: Access;
    finalizer: JobFinalizer;
    watch: JobWatch;
    clock: Clock;
    metrics: Metrics;
    /** Where texts of archived jobs may be. */
    texts: TextStore | undefined;
  },
): JobService {
  // Of ended jobs. The version is asked for each time, which takes a small part of reading the row and its texts,
  // so that nothing is shown that another process or node has changed.
  const endedViews = new LRUCache<string, CachedViews>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ plain, full }) => plain.length + full.length + 200,
  });

  const reads = createJobReads(deps.db, () => deps.clock.now());

  async function readFor<Row extends { teamId: string }>(
    identity: Identity,
    jobId: string,
    read: (id: string) => Promise<Row | undefined>,
  ): Promise<Row> {
    const job = JOB_ID_PATTERN.test(jobId) ? await read(jobId) : undefined;
    if (job === undefined) throw notFound();
    await deps.access.mayRead(identity, job, 'job');
    return job;
  }

  const findRow = (identity: Identity, jobId: string) => readFor(identity, jobId, reads.row);

  async function find(identity: Identity, jobId: string): Promise<JobRow> {
    const job = await findRow(identity, jobId);
    if (job.textsKey === null) return job;
    const texts = await readTexts(deps.texts, job.textsKey);
    const { output, artifact, toolCalls = null, opaqueAnswer = null } = texts;
    // What a worker reported since is in the row.
    const partialOutput = job.partialOutput ?? texts.partialOutput;
    return { ...job, output, artifact, toolCalls, opaqueAnswer, partialOutput };
  }

  /** Looks until `done` holds or the time is over. */
  async function findWhen(
    identity: Identity,
    jobId: string,
    done: (job: JobRow) => boolean,
    { waitMs, signal }: { waitMs: number; signal: AbortSignal },
  ): Promise<JobRow> {
    const until = deps.clock.now() + waitMs;
    // Watched from before the first look: a change in between is not missed.
    let changed = false;
    const off = deps.watch.watch(jobId, () => (changed = true));
    try {
      for (;;) {
        changed = false;
        const job = await find(identity, jobId);
        const leftMs = until - deps.clock.now();
        if (done(job) || leftMs <= 0 || signal.aborted) return job;
        if (!changed) await deps.watch.changed(jobId, Math.min(leftMs, RECHECK_MS), signal);
      }
    } finally {
      off();
    }
  }

  async function findWaiting(job: JobRow): Promise<JobWaiting | undefined> {
    if (isEnded(job)) return undefined;
    const wait = await findWait(deps.db, job.id);
    return wait && { ...wait, until: wait.until?.toISOString() ?? null };
  }

  async function bodyOf(job: JobRow, view: JobViewName): Promise<JobBody> {
    if (!isEnded(job)) {
      return view === 'plain' ? openView(job) : fullView(job, await findWaiting(job));
    }
    const { version } = job;
    const views = { version, plain: asBody(plainView(job)), full: asBody(fullView(job)) };
    endedViews.set(job.id, views);
    return views[view];
  }

  return {
    find,
    findRow,
    findWaiting,
    async submit(identity, request, options) {
      const submitted = await submitJob(deps, identity, request, options);
      deps.metrics.jobsSubmitted.inc({ outcome: submitted.replayed ? 'replayed' : 'accepted' });
      return submitted;
    },
    async view(identity, jobId, { view, waitMs, signal }) {
      const cached = endedViews.get(jobId);
      const isPoll = waitMs === 0 && view === 'plain';
      if (cached !== undefined || isPoll) {
        const state = await readFor(identity, jobId, reads.state);
        if (cached?.version === state.version) return cached[view];
        if (isPoll && !isEnded(state)) return openView(state);
      }
      const job =
        waitMs > 0
          ? await findWhen(identity, jobId, isEnded, { waitMs, signal })
          : await find(identity, jobId);
      return bodyOf(job, view);
    },
    async cancel(identity, jobId) {
      const job = await findRow(identity, jobId);
      await deps.access.mayWrite(identity, job, 'job');
      if (!isEnded(job)) {
        const outcome = await deps.finalizer.end({
          jobId,
          runId: job.runId,
          teamId: job.teamId,
          executionId: job.executionId,
          attempt: undefined,
          ending: { kind: 'cancelled' },
          used: undefined,
          textGeneration: 0,
        });
        if (outcome.kind === 'ended') {
          deps.metrics.jobsEnded.inc({ outcome: 'cancelled' });
          const signal = new AbortController().signal;
          await findWhen(identity, jobId, (row) => row.settled, { waitMs: SETTLE_MS, signal });
          return { cancelled: true };
        }
      }
      const ended = await findRow(identity, jobId);
      return { cancelled: ended.errorCode === CANCELLED_CODE };
    },
  };
}
