// Ends jobs inside a transaction that has locked their teams and runs.
import type { Queryable } from '../postgres/db.ts';
import { END_JOBS, END_ROWS } from './end-jobs-sql.ts';
import type { JobEnd } from './job-end.ts';
import { recordLateUsage } from './late-usage.ts';
import { letInParked } from './parked-jobs.ts';
import type { Queue } from './queue.ts';

export interface EndedRow {
  id: string;
  was: 'pending' | 'running';
  was_parked: boolean;
  attempt: number;
  team_id: string;
  execution_id: string | null;
  max_tokens: number;
}

async function freePlaces(
  tx: Queryable,
  queue: Queue,
  capped: readonly string[],
  ended: readonly EndedRow[],
): Promise<number> {
  let letIn = 0;
  for (const teamId of capped) {
    const freed = ended.filter((row) => row.team_id === teamId && !row.was_parked).length;
    if (freed > 0) letIn += await letInParked(tx, queue, teamId, freed);
  }
  return letIn;
}

/** `capped`: teams whose parked jobs take the places that become free. */
export async function endInTx(
  tx: Queryable,
  queue: Queue,
  batch: readonly JobEnd[],
  capped: readonly string[],
): Promise<{ ended: Map<JobEnd, EndedRow>; letIn: number }> {
  // A job that is ended twice in one batch (a cancel and a completion) is ended by the first.
  const firsts = new Map<string, JobEnd>();
  for (const job of batch) {
    if (job.ending.kind !== 'usage_only' && !firsts.has(job.jobId)) firsts.set(job.jobId, job);
  }
  const result = await tx.query<EndedRow>(END_JOBS, END_ROWS.values([...firsts.values()]));
  const ended = new Map(result.rows.map((row) => [firsts.get(row.id)!, row]));
  const late = batch.filter((job) => job.used !== undefined && !ended.has(job));
  await recordLateUsage(tx, late, 'late');
  await queue.remove(
    tx,
    result.rows.map((row) => row.id),
  );
  return { ended, letIn: await freePlaces(tx, queue, capped, result.rows) };
}
