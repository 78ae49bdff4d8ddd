// Ends jobs: the one place where a job reaches a final state. Result, ledger, usage counters, run
// and place in the line change in one transaction, and ends that arrive together share it. The
// second end of a job (a late worker, a cancel after completion) finds the row no longer open and
// changes nothing but the ledger, because tokens that were used were used. The end of an execution's job
// moves the execution on in the same transaction, so that no crash can come between (`prepareAdvance`).
import { createCoalescer } from '../postgres/coalesce.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { collectSignals } from '../postgres/signals.ts';
import type { PendingSignals, Signals } from '../postgres/signals.ts';
import { tellSpent } from '../usage/budget-events.ts';
import { addToMonths, teamsSettled } from '../usage/usage-months.ts';
import type { MonthDelta } from '../usage/usage-months.ts';
import { END_JOBS, END_ROWS } from './job-outcome.ts';
import type { JobEnd } from './job-outcome.ts';
import { recordLateUsage } from './late-usage.ts';
import { lockForEnd } from './lock-for-end.ts';
import { letInParked } from './parked-jobs.ts';
import type { LetInDeps } from './parked-jobs.ts';

export type EndOutcome =
  | { kind: 'ended'; was: 'pending' | 'running'; attempt: number }
  /** The job had ended, or belongs to a later attempt. */
  | { kind: 'not_open' };

export interface JobFinalizer {
  end(job: JobEnd): Promise<EndOutcome>;
  idle(): Promise<void>;
}

export interface EndedRow {
  id: string;
  was: 'pending' | 'running';
  was_parked: boolean;
  attempt: number;
  simulated: boolean;
  team_id: string;
  execution_id: string | null;
  max_tokens: number;
  /** The month that gets its run back, on one job of the run. */
  refund_month: string | null;
  /** What was reserved for it and is settled now, and the month in which it was; null without a budget. */
  released_usd: number | null;
  reserved_month: string | null;
}

async function freePlaces(
  tx: Queryable,
  deps: LetInDeps,
  capped: readonly string[],
  ended: readonly EndedRow[],
): Promise<number> {
  let letIn = 0;
  for (const teamId of capped) {
    const freed = ended.filter((row) => row.team_id === teamId && !row.was_parked).length;
    if (freed > 0) letIn += await letInParked(tx, deps, teamId, freed);
  }
  return letIn;
}

function monthDeltas(ended: ReadonlyMap<JobEnd, EndedRow>): MonthDelta[] {
  const deltas: MonthDelta[] = [];
  for (const [{ used }, { team_id: teamId, refund_month: month, ...row }] of ended) {
    if (used !== undefined) {
      deltas.push({
        teamId,
        tokensInput: used.input,
        tokensOutput: used.output,
        tokensCached: used.cacheRead,
        costUsd: row.simulated ? 0 : used.costUsd,
      });
    }
    if (month !== null) deltas.push({ teamId, month, runsCounted: -1 });
    if (row.released_usd !== null) {
      deltas.push({ teamId, month: row.reserved_month!, reservedUsd: -row.released_usd });
    }
  }
  return deltas;
}

interface InTx {
  ended: Map<JobEnd, EndedRow>;
  letIn: number;
  written: Promise<unknown>;
  /** Teams with a budget that something was spent of. */
  budgeted: string[];
}

/**
 * Ends jobs inside a transaction that has locked their teams and runs. `capped`: teams whose parked
 * jobs take the places that become free. All of it holds once `written` has come true.
 */
export async function endInTx(
  tx: Queryable,
  deps: LetInDeps,
  batch: readonly JobEnd[],
  capped: readonly string[] | Promise<readonly string[]>,
): Promise<InTx> {
  // A job that is ended twice in one batch (a cancel and a completion) is ended by the first.
  const firsts = new Map<string, JobEnd>();
  for (const job of batch) {
    if (job.ending.kind !== 'usage_only' && !firsts.has(job.jobId)) firsts.set(job.jobId, job);
  }
  const result = await tx.query<EndedRow>(END_JOBS, END_ROWS.values([...firsts.values()]));
  const ended = new Map(result.rows.map((row) => [firsts.get(row.id)!, row]));
  const late = batch.filter((job) => job.used !== undefined && !ended.has(job));
  const lateDeltas = late.length === 0 ? [] : await recordLateUsage(tx, late, 'late');
  const letIn = await freePlaces(tx, deps, await capped, result.rows);
  const deltas = [...monthDeltas(ended), ...lateDeltas];
  const written = addToMonths(tx, deltas);
  return { ended, letIn, written, budgeted: teamsSettled(deltas) };
}

export interface EndedJob {
  executionId: string;
  end: JobEnd;
  /** The output tokens that it was allowed. */
  maxTokens: number;
}

/** Moves the executions of ended jobs on, in the transaction that ended them. */
export type Advance = (
  tx: Queryable,
  ended: readonly EndedJob[],
  context: { capped: readonly string[]; signals: PendingSignals },
) => Promise<void>;

/** Called before the transaction, for what takes long. */
export type PrepareAdvance = (batch: readonly JobEnd[]) => Promise<Advance>;

export function createJobFinalizer(
  deps: LetInDeps & { db: Db; signals: Signals; prepareAdvance: PrepareAdvance },
): JobFinalizer {
  async function endBatch(batch: JobEnd[]): Promise<EndOutcome[]> {
    const signals = collectSignals();
    const advance = await deps.prepareAdvance(batch);
    const { ended, letIn } = await deps.db.tx(async (tx) => {
      const submitting = batch.filter((job) => job.executionId).map((job) => job.teamId);
      const capped = lockForEnd(tx, batch, submitting);
      tx.commitBehind(capped);
      const result = await endInTx(tx, deps, batch, capped);
      tx.commitBehind(result.written);
      // It is sent behind what it looks at, and fails with it.
      if (result.budgeted.length > 0) await tellSpent(tx, result.budgeted, signals);
      const ofExecutions = [...result.ended]
        .filter(([, row]) => row.execution_id !== null)
        .map(([end, row]) => ({
          executionId: row.execution_id!,
          end,
          maxTokens: row.max_tokens,
        }));
      if (ofExecutions.length > 0) {
        await result.written;
        await advance(tx, ofExecutions, { capped: await capped, signals });
      }
      return result;
    });

    signals.add('ended', ...batch.map((job) => job.jobId));
    for (const job of batch) {
      const isCancelled = job.attempt === undefined && ended.get(job)?.was === 'running';
      if (isCancelled) signals.add('cancel', job.jobId);
    }
    if (letIn > 0) signals.add('work');
    signals.sendBy(deps.signals);
    return batch.map((job) => {
      const row = ended.get(job);
      return row ? { kind: 'ended', was: row.was, attempt: row.attempt } : { kind: 'not_open' };
    });
  }

  const coalescer = createCoalescer({
    run: endBatch,
    maxBatch: 256,
    gatherMs: 6,
    weigh: ({ ending, text }: JobEnd) =>
      ending.kind === 'completed'
        ? ending.output.length +
          (ending.artifact?.length ?? 0) +
          (ending.toolCalls?.length ?? 0) +
          (ending.opaqueAnswer?.length ?? 0)
        : (text?.length ?? 0),
    maxWeight: 16 * 1024 * 1024,
  });
  return { end: (job) => coalescer.add(job), idle: () => coalescer.idle() };
}
