// Jobs as their owner uses them: submit, look, wait, cancel.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../contract/errors.ts';
import type { ExecuteRequest, JobWaiting } from '../../contract/job-api.ts';
import { JOB_ID_PATTERN } from '../../contract/fields.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Access } from '../access.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { mayHaveMoved } from '../../store/jobs/archived-jobs.ts';
import { CANCELLED_CODE } from '../../store/jobs/job-outcome.ts';
import type { JobFinalizer } from '../../store/jobs/finalize-jobs.ts';
import { createJobReads } from '../../store/jobs/jobs.ts';
import { findWait } from '../../store/jobs/wait-feed.ts';
import { readTexts } from '../../store/jobs/archived-texts.ts';
import type { TextStore } from '../../store/jobs/archived-texts.ts';
import type { JobRow } from '../../store/jobs/jobs.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { JobWatch } from './job-watch.ts';
import { fullView, isEnded, plainView } from './job-view.ts';
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
const JUST_ENDED = 5000;

interface CachedViews {
  teamId: string;
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
    signals: Signals;
    watch: JobWatch;
    clock: Clock;
    metrics: Metrics;
    /** Where texts of archived jobs may be. */
    texts: TextStore | undefined;
  },
): JobService {
  // Ended jobs never change but for tokens that a worker reports late, which is announced.
  const endedViews = new LRUCache<string, CachedViews>({
    maxSize: CACHE_BYTES,
    // Jobs past their retention are deleted, and then not shown for much longer.
    ttl: 300_000,
    ttlResolution: 1000,
    sizeCalculation: ({ plain, full }) => plain.length + full.length + 200,
  });

  const now = () => deps.clock.now();
  const reads = createJobReads(deps.db, now);
  // Of these the state need not be asked, and of old ones neither: the whole row will be.
  const justEnded = new LRUCache<string, true>({ max: JUST_ENDED });

  /** Rows that did not change while they were being read. */
  const fresh = new WeakSet<JobRow>();
  deps.signals.on('ended', (ids) => {
    for (const id of ids) {
      endedViews.delete(id);
      justEnded.set(id, true);
    }
  });

  async function findRow(identity: Identity, jobId: string): Promise<JobRow> {
    let changed = false;
    if (!JOB_ID_PATTERN.test(jobId)) throw notFound();
    const off = deps.watch.watch(jobId, () => (changed = true));
    const job = await reads.row(jobId).finally(off);
    if (job === undefined) throw notFound();
    await deps.access.mayRead(identity, job, 'job');
    if (!changed) fresh.add(job);
    return job;
  }

  async function find(identity: Identity, jobId: string): Promise<JobRow> {
    const job = await findRow(identity, jobId);
    if (job.textsKey === null) return job;
    const { output, artifact, partialOutput } = await readTexts(deps.texts, job.textsKey);
    // What a worker reported since is in the row.
    Object.assign(job, { output, artifact, partialOutput: job.partialOutput ?? partialOutput });
    return job;
  }

  /** Undefined when the job has ended. */
  async function findOpenStatus(identity: Identity, jobId: string): Promise<string | undefined> {
    const job = JOB_ID_PATTERN.test(jobId) ? await reads.state(jobId) : undefined;
    if (job === undefined) throw notFound();
    await deps.access.mayRead(identity, job, 'job');
    return job.status === 'pending' || job.status === 'running' ? job.status : undefined;
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
      if (cached) {
        await deps.access.mayRead(identity, cached, 'job');
        return cached[view];
      }
      if (
        waitMs === 0 &&
        view === 'plain' &&
        !justEnded.has(jobId) &&
        !mayHaveMoved(jobId, now())
      ) {
        const status = await findOpenStatus(identity, jobId);
        if (status !== undefined) return `{"status":"${status}"}`;
      }
      const job =
        waitMs > 0
          ? await findWhen(identity, jobId, isEnded, { waitMs, signal })
          : await find(identity, jobId);
      if (!isEnded(job) || !job.settled || !fresh.has(job)) {
        if (view === 'plain') return asBody(plainView(job));
        return asBody(fullView(job, await findWaiting(job)));
      }
      const views = {
        teamId: job.teamId,
        plain: asBody(plainView(job)),
        full: asBody(fullView(job)),
      };
      endedViews.set(jobId, views);
      return views[view];
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
