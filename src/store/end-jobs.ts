// Ends jobs: the one place where a job reaches a final state. Result, ledger, usage counters, run
// and queue message change in one transaction, and ends that arrive together share it. Whoever
// comes second (a late worker, a cancel after completion) finds the row no longer open and changes
// nothing but the ledger, because tokens that were used were used.
import { createCoalescer } from './coalesce.ts';
import type { Db, Queryable } from './db.ts';
import { END_JOBS, END_ROWS, LATE_ROWS, RECORD_LATE_USAGE } from './end-jobs-sql.ts';
import type { JobEnd } from './job-end.ts';
import { lockRuns } from './lock-runs.ts';
import { letInParked, lockCappedUsers } from './parked-jobs.ts';
import type { Queue } from './queue.ts';
import type { Signals } from './signals.ts';

export type EndOutcome =
  | { kind: 'ended'; was: 'pending' | 'running'; attempt: number }
  /** The job had ended, or belongs to a later attempt. */
  | { kind: 'not_open' };

export interface JobEnder {
  end(job: JobEnd): Promise<EndOutcome>;
  idle(): Promise<void>;
}

interface EndedRow {
  id: string;
  was: 'pending' | 'running';
  was_parked: boolean;
  attempt: number;
  user_id: string;
}

const unique = (values: readonly string[]) => [...new Set(values)];

async function freePlaces(tx: Queryable, queue: Queue, capped: string[], ended: EndedRow[]) {
  let letIn = 0;
  for (const userId of capped) {
    const freed = ended.filter((row) => row.user_id === userId && !row.was_parked).length;
    if (freed > 0) letIn += await letInParked(tx, queue, userId, freed);
  }
  return letIn;
}

export function createJobEnder(deps: { db: Db; queue: Queue; signals: Signals }): JobEnder {
  async function endBatch(batch: JobEnd[]): Promise<EndOutcome[]> {
    // A job that is ended twice in one batch (a cancel and a completion) is ended by the first.
    const firsts = new Map<string, JobEnd>();
    for (const job of batch) {
      if (job.ending.kind !== 'usage_only' && !firsts.has(job.jobId)) firsts.set(job.jobId, job);
    }

    const { ended, letIn } = await deps.db.tx(async (tx) => {
      // Always users, then runs, then jobs: submits lock in the same order.
      const capped = await lockCappedUsers(tx, unique(batch.map((job) => job.userId)));
      await lockRuns(
        tx,
        batch.map((job) => job.runId),
      );
      const result = await tx.query<EndedRow>(END_JOBS, END_ROWS.values([...firsts.values()]));
      const endedBy = new Map(result.rows.map((row) => [firsts.get(row.id)!, row]));
      const late = batch.filter((job) => job.used !== undefined && !endedBy.has(job));
      if (late.length > 0) await tx.query(RECORD_LATE_USAGE, LATE_ROWS.values(late));
      await deps.queue.remove(
        tx,
        result.rows.map((row) => row.id),
      );
      return { ended: endedBy, letIn: await freePlaces(tx, deps.queue, capped, result.rows) };
    });

    deps.signals.emit('ended', unique(batch.map((job) => job.jobId)));
    const cancelled = batch.filter(
      (job) => job.attempt === undefined && ended.get(job)?.was === 'running',
    );
    if (cancelled.length > 0) {
      deps.signals.emit(
        'cancel',
        cancelled.map((job) => job.jobId),
      );
    }
    if (letIn > 0) deps.signals.emit('work');
    return batch.map((job) => {
      const row = ended.get(job);
      return row ? { kind: 'ended', was: row.was, attempt: row.attempt } : { kind: 'not_open' };
    });
  }

  const coalescer = createCoalescer({
    run: endBatch,
    maxBatch: 256,
    weigh: ({ ending }: JobEnd) =>
      ending.kind === 'completed' ? ending.output.length + (ending.artifact?.length ?? 0) : 0,
    maxWeight: 16 * 1024 * 1024,
  });
  return { end: (job) => coalescer.add(job), idle: () => coalescer.idle() };
}
