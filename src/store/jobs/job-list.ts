// The jobs of a team, page by page, and what was asked of one.
import type { Reasoning, ServiceTier } from '../../contract/fields.ts';
import type { JobWaitReason } from '../../contract/job-api.ts';
import { idNow } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';
import { mayHaveMoved } from './archived-jobs.ts';
import { KEY_NAME, columnsOf, fieldsOf } from './job-fields.ts';
import type { JobField, JobFields, JobKind, JobStatus } from './job-fields.ts';

const LISTED = [
  'id',
  'kind',
  'status',
  'streamId',
  'runId',
  'executionId',
  'model',
  'provider',
  'simulated',
  'serviceTier',
  'usedServiceTier',
  'apiKeyId',
  'attempt',
  'queuedAt',
  'startedAt',
  'endedAt',
  'tokensInput',
  'tokensOutput',
  'costUsd',
  'unpricedCalls',
  'error',
  'errorCode',
] as const satisfies JobField[];

export interface ListedJobRow extends Pick<JobFields, (typeof LISTED)[number]> {
  apiKeyName: string | null;
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
  kind?: JobKind | undefined;
  model?: string | undefined;
  runId?: string | undefined;
}

/** How far one page looks for jobs that match: a filter that nothing matches must not read a whole year. */
const MOST_LOOKED_AT = 20_000;

const READ = columnsOf([...LISTED, 'parked']);

const COLUMNS = `${fieldsOf(LISTED, 'j')}, ${KEY_NAME},
  case when j.status not in ('pending', 'running') then null
       when w.reason is not null then w.reason
       when j.parked then 'concurrency' end as "waitReason",
  w.until_at as "waitUntil", w.detail as "waitDetail"`;

const within = ({ runId }: Pick<JobFilter, 'runId'>) =>
  `team_id = $1 and id >= $2 and id < $3${runId === undefined ? '' : ' and run_id = $4'}`;

// The condition is outside: only then can the tables be merged in the order of their indexes.
const ALL_JOBS = `(
     select team_id, ${READ} from jobs union all select team_id, ${READ} from archived_jobs)`;

/** What jobs are chosen by that are within the range, in the order of their values. */
const CHOICES = ['status', 'kind', 'model'] as const;

const chosenOf = (filter: JobFilter) => CHOICES.filter((name) => filter[name] !== undefined);

const lookedAt = (filter: JobFilter) =>
  chosenOf(filter).length === 0 ? filter.limit : MOST_LOOKED_AT;

/** `source`: the table of current jobs, or both. */
export function listJobsStatement(filter: JobFilter, source = ALL_JOBS): string {
  const { runId, limit } = filter;
  const first = runId === undefined ? 4 : 5;
  const conditions = chosenOf(filter).map((name, index) => `${name} = $${first + index}`);
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  return `select ${COLUMNS}
    from (select * from (
            select ${READ} from ${source} a where ${within(filter)}
            order by id desc limit ${lookedAt(filter)}) looked
          ${where} order by id desc limit ${limit}) j
    left join job_waits w on w.job_id = j.id and w.until_at > now()
    order by j.id desc`;
}

export interface JobRows {
  rows: ListedJobRow[];
  /** Set when there may be others below this id that were not looked at. */
  lookedDownTo: string | undefined;
}

/** The last of as many jobs as one page looks at. */
async function findEdge(
  db: Queryable,
  filter: JobFilter,
  values: readonly string[],
  source: string,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from ${source} a where ${within(filter)} order by id desc
     offset ${lookedAt(filter) - 1} limit 1`,
    values,
  );
  return rows[0]?.id;
}

/**
 * Most pages are of current jobs alone. Where archived ones may be among them, the page is read again from both
 * tables by one statement, down to where it would end without them: so it needs few partitions.
 */
export async function listJobs(
  db: Queryable,
  teamId: string,
  filter: JobFilter,
  nowMs = idNow(),
): Promise<JobRows> {
  const { from, below, runId, limit } = filter;
  const wanted = chosenOf(filter).map((name) => filter[name]!);
  const values = [teamId, from, below, ...(runId === undefined ? [] : [runId])];
  const list = async (source: string) =>
    (await db.query<ListedJobRow>(listJobsStatement(filter, source), [...values, ...wanted])).rows;
  const current = await list('jobs');
  const last = current.length === limit ? current.at(-1)!.id : undefined;
  if (last !== undefined && !mayHaveMoved(last, nowMs)) {
    return { rows: current, lookedDownTo: undefined };
  }
  const isFiltered = wanted.length > 0;
  values[1] = last ?? (isFiltered ? await findEdge(db, filter, values, 'jobs') : undefined) ?? from;
  const rows = await list(ALL_JOBS);
  if (rows.length === limit || !isFiltered) return { rows, lookedDownTo: undefined };
  return { rows, lookedDownTo: await findEdge(db, filter, values, ALL_JOBS) };
}

export interface JobRequestRow {
  streamName: string | null;
  /** JSON text. */
  prompt: string;
  /** JSON text: the parts by name, and what to cache. */
  promptParts: string | null;
  /** JSON text: messages and tools. */
  conversation: string | null;
  maxTokens: number;
  temperature: number | null;
  reasoning: Reasoning | null;
  serviceTier: ServiceTier | null;
  timeoutMs: number;
  priority: number;
  /** Where prompt, promptParts and conversation are when they are not here. */
  textsKey: string | null;
}

export async function findJobRequest(
  db: Queryable,
  id: string,
): Promise<JobRequestRow | undefined> {
  const columns = `stream_name as "streamName", prompt, prompt_parts as "promptParts", conversation,
    max_tokens as "maxTokens", temperature, reasoning, service_tier as "serviceTier", timeout_ms as "timeoutMs", priority,
    texts_key as "textsKey"`;
  const { rows } = await db.query<JobRequestRow>(
    `select ${columns} from jobs where id = $1
     union all select ${columns} from archived_jobs where id = $1`,
    [id],
  );
  return rows[0];
}
