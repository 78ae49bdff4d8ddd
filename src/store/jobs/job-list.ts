// The jobs of a team, page by page, and what was asked of one.
import type { Reasoning } from '../../contract/fields.ts';
import type { JobWaitReason } from '../../contract/job-api.ts';
import type { Queryable } from '../postgres/db.ts';
import type { JobStatus } from './jobs.ts';

export interface ListedJobRow {
  id: string;
  status: JobStatus;
  streamId: string;
  runId: string;
  executionId: string | null;
  model: string;
  provider: string;
  simulated: boolean;
  attempt: number;
  queuedAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  tokensInput: number;
  tokensOutput: number;
  costUsd: number | null;
  unpricedCalls: number;
  /** JSON text. */
  error: string | null;
  errorCode: string | null;
  waitReason: JobWaitReason | null;
  waitUntil: Date | null;
  /** JSON text. */
  waitDetail: string | null;
}

export interface JobFilter {
  limit: number;
  /** Ids from here on, without `below`. */
  from: string;
  below: string;
  status?: JobStatus | undefined;
  model?: string | undefined;
  runId?: string | undefined;
}

/** How far one page looks for jobs that match: a filter that nothing matches must not read a whole year. */
const MOST_LOOKED_AT = 20_000;

const COLUMNS = `j.id, j.status, j.stream_id as "streamId", j.run_id as "runId",
  j.execution_id as "executionId", j.model, j.provider, j.simulated, j.attempt,
  j.queued_at as "queuedAt", j.started_at as "startedAt", j.ended_at as "endedAt",
  j.tokens_input as "tokensInput", j.tokens_output as "tokensOutput", j.cost_usd as "costUsd",
  j.unpriced_calls as "unpricedCalls", j.error, j.error_code as "errorCode",
  case when j.status not in ('pending', 'running') then null
       when w.reason is not null then w.reason
       when j.parked then 'concurrency' end as "waitReason",
  w.until_at as "waitUntil", w.detail as "waitDetail"`;

const OF_RUN = ' and run_id = $4';

export function listJobsStatement({ status, model, runId, limit }: JobFilter): string {
  const last = runId === undefined ? 3 : 4;
  const conditions = [
    status === undefined ? undefined : `status = $${last + 1}`,
    model === undefined ? undefined : `model = $${last + (status === undefined ? 1 : 2)}`,
  ].filter((each) => each !== undefined);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return `select ${COLUMNS}
    from (select * from (
            select * from jobs where team_id = $1 and id >= $2 and id < $3${runId === undefined ? '' : OF_RUN}
            order by id desc limit ${MOST_LOOKED_AT}) looked
          ${where} order by id desc limit ${limit}) j
    left join job_waits w on w.job_id = j.id and w.until_at > now()
    order by j.id desc`;
}

export interface JobRows {
  rows: ListedJobRow[];
  /** Set when there may be others below this id that were not looked at. */
  lookedDownTo: string | undefined;
}

export async function listJobs(db: Queryable, teamId: string, filter: JobFilter): Promise<JobRows> {
  const { from, below, status, model, runId, limit } = filter;
  const within = [teamId, from, below, ...(runId === undefined ? [] : [runId])];
  const wanted = [status, model].filter((value) => value !== undefined);
  const { rows } = await db.query<ListedJobRow>(listJobsStatement(filter), [...within, ...wanted]);
  if (rows.length === limit || wanted.length === 0) return { rows, lookedDownTo: undefined };
  const { rows: edge } = await db.query<{ id: string }>(
    `select id from jobs where team_id = $1 and id >= $2 and id < $3${runId === undefined ? '' : OF_RUN}
     order by id desc offset ${MOST_LOOKED_AT - 1} limit 1`,
    within,
  );
  return { rows, lookedDownTo: edge[0]?.id };
}

export interface JobRequestRow {
  streamName: string | null;
  /** JSON text. */
  prompt: string;
  /** JSON text: the parts by name, and what to cache. */
  promptParts: string | null;
  maxTokens: number;
  temperature: number | null;
  reasoning: Reasoning | null;
  timeoutMs: number;
  priority: number;
}

export async function findJobRequest(
  db: Queryable,
  id: string,
): Promise<JobRequestRow | undefined> {
  const { rows } = await db.query<JobRequestRow>(
    `select stream_name as "streamName", prompt, prompt_parts as "promptParts",
       max_tokens as "maxTokens", temperature, reasoning, timeout_ms as "timeoutMs", priority
     from jobs where id = $1`,
    [id],
  );
  return rows[0];
}
