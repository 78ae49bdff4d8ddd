// Ends jobs: the one place where a job reaches a final state. Result, ledger, usage counters, run
// and queue message change in one transaction, and ends that arrive together share it. Whoever
// comes second (a late worker, a cancel after completion) finds the row no longer open and changes
// nothing but the ledger, because tokens that were used were used. The end of an execution's job
// moves the execution on in the same transaction, so that no crash can come between.
import type { Price } from '../../domain/execution/budget.ts';
import { createCoalescer } from '../postgres/coalesce.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { endInTx } from './end-jobs-tx.ts';
import { advanceExecutions } from '../executions/execution-advance.ts';
import { readAnswers } from '../executions/execution-answers.ts';
import { announce, createEffects } from '../executions/execution-effects.ts';
import type { JobEnd } from './job-end.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { lockCappedTeams } from './parked-jobs.ts';
import type { Queue } from './queue.ts';
import type { Signals } from '../postgres/signals.ts';

export type EndOutcome =
  | { kind: 'ended'; was: 'pending' | 'running'; attempt: number }
  /** The job had ended, or belongs to a later attempt. */
  | { kind: 'not_open' };

export interface JobEnder {
  end(job: JobEnd): Promise<EndOutcome>;
  idle(): Promise<void>;
}

/**
 * The usage counters of several teams, which the statements of an end may change in any order. Of
 * one team alone there is nothing to bring into an order.
 */
async function lockMonths(tx: Queryable, teamIds: readonly string[]): Promise<void> {
  if (teamIds.length < 2) return;
  await tx.query(
    {
      name: 'end_lock_months',
      text: `select 1 from usage_months where team_id = any($1) order by team_id, month for update`,
    },
    [teamIds],
  );
}

const unique = (values: readonly string[]) => [...new Set(values)];

export function createJobEnder(deps: {
  db: Db;
  queue: Queue;
  signals: Signals;
  /** For the budgets of executions. */
  price?: Price;
  /** Told of an execution that failed because of a bug. */
  onError?(error: unknown): void;
}): JobEnder {
  async function endBatch(batch: JobEnd[]): Promise<EndOutcome[]> {
    const effects = createEffects();
    const answers = await readAnswers(deps.db, batch);
    const { ended, letIn } = await deps.db.tx(async (tx) => {
      // Always teams, runs, months, then what belongs to the runs: executions, jobs, messages.
      const capped = await lockCappedTeams(
        tx,
        unique(batch.map((job) => job.teamId)),
        unique(batch.filter((job) => job.executionId).map((job) => job.teamId)),
      );
      await lockRuns(
        tx,
        batch.map((job) => job.runId),
      );
      await lockMonths(tx, unique(batch.map((job) => job.teamId)));
      const result = await endInTx(tx, deps.queue, batch, capped);
      const ofExecutions = [...result.ended]
        .filter(([, row]) => row.execution_id !== null)
        .map(([end, row]) => ({
          executionId: row.execution_id!,
          end,
          maxTokens: row.max_tokens,
        }));
      if (ofExecutions.length > 0) {
        await advanceExecutions(tx, { ...deps, capped, effects, answers }, ofExecutions);
      }
      return result;
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
    announce(deps.signals, effects);
    return batch.map((job) => {
      const row = ended.get(job);
      return row ? { kind: 'ended', was: row.was, attempt: row.attempt } : { kind: 'not_open' };
    });
  }

  const coalescer = createCoalescer({
    run: endBatch,
    maxBatch: 256,
    weigh: ({ ending, text }: JobEnd) =>
      ending.kind === 'completed'
        ? ending.output.length + (ending.artifact?.length ?? 0)
        : (text?.length ?? 0),
    maxWeight: 16 * 1024 * 1024,
  });
  return { end: (job) => coalescer.add(job), idle: () => coalescer.idle() };
}
