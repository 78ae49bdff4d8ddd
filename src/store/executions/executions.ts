// Reads of executions.
import type { RunKey } from '../../domain/run/run-key.ts';
import type { MovedColumns } from '../jobs/archived-jobs.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import type { ExecutionStatus } from './execution-rows.ts';

export interface ExecutionRow extends MovedColumns {
  id: string;
  teamId: string;
  runId: string;
  status: ExecutionStatus;
  /** JSON text, like result. */
  task: string;
  result: string | null;
  dryRun: boolean;
  maxSteps: number;
  budgetUsd: number | null;
  provider: string;
  model: string;
  simulated: boolean;
  sequence: number;
  stepsDone: number;
  stepsTotal: number;
  createdAt: Date;
  endedAt: Date | null;
  durationMs: number;
  tokensUsed: number;
  /** Of the calls whose price is known; null when none is. */
  costUsd: number | null;
  unpricedCalls: number;
  usageEstimated: boolean;
}

// Tokens and cost are the run's, which counts those that are reported late, too.
const COLUMNS = `e.id, e.team_id as "teamId", e.run_id as "runId", e.status, e.task,
  e.dry_run as "dryRun", e.max_steps as "maxSteps", e.budget_usd as "budgetUsd", e.provider, e.model, e.simulated, e.sequence, e.steps_done as "stepsDone",
  e.steps_total as "stepsTotal", e.created_at as "createdAt", e.ended_at as "endedAt",
  (extract(epoch from coalesce(e.ended_at, now()) - e.created_at) * 1000)::float8 as "durationMs",
  (r.tokens_input + r.tokens_output)::float8 as "tokensUsed", 
  case when r.unpriced_calls = 0 or r.cost_usd > 0 then r.cost_usd end as "costUsd",
  r.unpriced_calls as "unpricedCalls",
  coalesce((select true from jobs j where j.team_id = r.team_id and j.run_id = r.id and j.usage_estimated limit 1),
    r.archived_estimated) as "usageEstimated",
  r.archived_from, r.archived_to`;

const FIND = {
  name: 'execution_find',
  text: `select ${COLUMNS}, e.result from executions e join runs r on r.team_id = e.team_id and r.id = e.run_id
         where e.id = $1`,
};

export async function findExecution(db: Queryable, id: string): Promise<ExecutionRow | undefined> {
  const { rows } = await db.query<ExecutionRow>(FIND, [id]);
  return rows[0];
}

export interface ExecutionFilter {
  limit: number;
  status: ExecutionStatus | undefined;
  /** Only those made before this one. */
  before: string | undefined;
  /** Only those made by this user. */
  userId: string | undefined;
  /** Only the one that the user made with this key, which is known for 24 hours; needs `userId`. */
  idempotencyKey: string | undefined;
}

/** In this order, so that the user is $4 wherever a key is asked for. */
const CONDITIONS = {
  userId: (value: string) => `e.user_id = ${value}`,
  idempotencyKey: (value: string) =>
    `e.id = (select replace(k.resource_id, 'job_', 'exec_') from idempotency_keys k
       where k.team_id = $1 and k.user_id = $4 and k.key = ${value}
         and k.created_at > now() - interval '24 hours')`,
  status: (value: string) => `e.status = ${value}`,
} as const;

/** After every id in byte order. */
const END_OF_IDS = 'exec_~';

export async function listExecutions(
  db: Queryable,
  teamId: string,
  filter: ExecutionFilter,
): Promise<ExecutionRow[]> {
  const asked = (['userId', 'idempotencyKey', 'status'] as const).filter(
    (name) => filter[name] !== undefined,
  );
  const conditions = asked.map((name, index) => ` and ${CONDITIONS[name](`$${index + 4}`)}`);
  // Each text walks one index from the cursor on, so a page costs the same wherever it is.
  const query = {
    name: ['execution_list', ...asked].join('_').toLowerCase(),
    text: `select ${COLUMNS}, null as result from executions e join runs r on r.team_id = e.team_id and r.id = e.run_id
           where e.team_id = $1 and e.id < $2${conditions.join('')}
           order by e.id desc limit $3`,
  };
  const values = [teamId, filter.before ?? END_OF_IDS, filter.limit];
  const more = asked.map((name) => filter[name]);
  const { rows } = await db.query<ExecutionRow>(query, [...values, ...more]);
  return rows;
}

export interface StoredEvent {
  sequence: number;
  event: string;
  /** JSON text. */
  data: string | null;
}

export async function listEvents(
  db: Queryable,
  executionId: string,
  after: number,
): Promise<StoredEvent[]> {
  const { rows } = await db.query<StoredEvent>(
    {
      name: 'execution_list_events',
      text: `select sequence, event, data from execution_events
             where execution_id = $1 and sequence > $2 order by sequence`,
    },
    [executionId, after],
  );
  return rows;
}

/** Whether the counts of all its jobs are final. */
export async function isSettled(db: Queryable, { teamId, runId }: RunKey): Promise<boolean> {
  const { rows } = await db.query<{ open: boolean }>(
    {
      name: 'execution_is_settled',
      text: `select exists (select 1 from jobs where team_id = $1 and run_id = $2 and settled_at is null
               and status not in ('pending', 'running')) as open`,
    },
    [teamId, runId],
  );
  return rows[0]?.open === false;
}

/** The address that hears of one execution alone. */
export async function findExecutionWebhook(
  db: Db,
  executionId: string,
  teamId: string,
): Promise<{ id: string; sealedSecret: string } | undefined> {
  const { rows } = await db.query<{ id: string; sealedSecret: string }>(
    `select id, sealed_secret as "sealedSecret" from webhooks
     where team_id = $1 and execution_id = $2`,
    [teamId, executionId],
  );
  return rows[0];
}
