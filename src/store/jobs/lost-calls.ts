// The calls of workers that died, estimated: nobody is left to tell what they used, but the vendor
// charges for them. A job that was taken is taken to have called: between the two are milliseconds.
import { estimateTokens } from '../../domain/execution/budget.ts';
import type { Price } from '../../domain/execution/budget.ts';
import type { Queryable } from '../postgres/db.ts';
import type { JobEnd } from './job-end.ts';
import { fromJsonText } from '../postgres/json-text.ts';
import { recordLateUsage } from './late-usage.ts';

interface LostRow {
  id: string;
  run_id: string;
  team_id: string;
  provider: string;
  model: string;
  attempt: number;
  /** JSON text, like the pieces of its answer. */
  prompt: string;
  partial_output: string | null;
  chunks: string[] | null;
}

// The text of the last writing: earlier ones belong to earlier attempts, or to calls that failed.
const FIND = `select j.id, j.run_id, j.team_id, j.provider, j.model, j.attempt, j.prompt,
    j.partial_output,
    (select array_agg(t.chunk) from job_text t where t.job_id = j.id
       and t.generation = (select max(generation) from job_text where job_id = j.id)
       and t.generation >= j.attempt * $2) as chunks
  from jobs j where j.id = any($1) and j.attempt > 0 and not exists (
    select 1 from usage_ledger l where l.job_id = j.id and l.attempt = j.attempt)`;

/** Generations of the text of one attempt: those of later attempts are larger. */
export const GENERATIONS_PER_ATTEMPT = 50;

function estimated(row: LostRow, price: Price | undefined): JobEnd {
  const pieces = row.chunks ?? (row.partial_output === null ? [] : [row.partial_output]);
  const usage = {
    input: estimateTokens(fromJsonText(row.prompt)),
    output: estimateTokens(pieces.map(fromJsonText).join('')),
    cacheRead: 0,
    cacheWrite: 0,
    estimated: true,
  };
  const cost = price?.(row.provider, row.model, usage) ?? null;
  return {
    jobId: row.id,
    runId: row.run_id,
    teamId: row.team_id,
    attempt: row.attempt,
    ending: { kind: 'usage_only' },
    used: { ...usage, costUsd: cost ?? 0, unpricedCalls: cost === null ? 1 : 0 },
    textGeneration: 0,
  };
}

/** The runs of the jobs are to be locked before. */
export async function recordLostCalls(
  tx: Queryable,
  jobIds: readonly string[],
  price: Price | undefined,
): Promise<void> {
  if (jobIds.length === 0) return;
  const { rows } = await tx.query<LostRow>(FIND, [jobIds, GENERATIONS_PER_ATTEMPT]);
  await recordLateUsage(
    tx,
    rows.map((row) => estimated(row, price)),
    'lost',
  );
}
