// Whether the tables agree with each other once everything is calm.
import type { Db } from '../../../src/store/postgres/db.ts';
import { ALL_JOBS, LEDGER_CHECKS, findUsageGaps } from '../ledger-sums.ts';
import { waitUntil } from '../processes.ts';

export interface TableCount {
  completed: number;
  /** Failed because their workers died three times. */
  workerLost: number;
  /** How often a job was taken from a dead worker. */
  losses: number;
}

// Each query lists what must not be.
const checksFor = (mayFail: readonly string[]): Record<string, string> => ({
  'a job that is not settled': `
    select id, status, node_id, parked from ${ALL_JOBS} j
    where status not in ('completed', 'failed') or node_id is not null or parked
      or ended_at is null or settled_at is null`,
  'a job that failed though its worker was not lost three times': `
    select id, error_code, losses, attempt from ${ALL_JOBS} j
    where status = 'failed' and (error_code <> 'WORKER_LOST' or losses <> 3)
      and error_code <> all (array[${mayFail.map((code) => `'${code}'`).join(', ')}]::text[])`,
  'a job lost more often than allowed': `
    select id, losses from ${ALL_JOBS} j where losses > 3`,
  'a completed job without output or tokens': `
    select id from ${ALL_JOBS} j where status = 'completed'
      and (output is null or length(output) < 3 or tokens_output = 0)`,
  'a completed job without one ledger row of the attempt that ended it': `
    select j.id, j.attempt, count(l.*) from ${ALL_JOBS} j
    left join usage_ledger l on l.job_id = j.id and l.outcome = 'completed'
      and l.attempt = j.attempt and l.tokens_output > 0
    where j.status = 'completed' group by j.id, j.attempt having count(l.*) <> 1`,
  ...LEDGER_CHECKS,
  'a ledger row of another attempt that is neither late nor lost': `
    select l.job_id, l.attempt, l.outcome, j.attempt as ended_by
    from usage_ledger l left join ${ALL_JOBS} j on j.id = l.job_id
    where l.outcome not in ('late', 'lost')
      and (j.id is null or l.attempt <> j.attempt or j.status <> 'completed')`,
  'a late ledger row of the attempt that ended a job': `
    select l.job_id, l.attempt from usage_ledger l join ${ALL_JOBS} j on j.id = l.job_id
    where l.outcome in ('late', 'lost') and (l.attempt > j.attempt
      or (l.attempt = j.attempt and j.status = 'completed'))`,
  // An execution tries a step again whose job failed: its run ends as the execution does.
  'a run that does not agree with its jobs': `
    select r.id, r.status, e.status as execution, r.open_jobs, r.failed_jobs, j.failed, j.codes,
      r.tokens_output, l.tokens_output as ledger_output
    from runs r
    left join executions e on e.run_id = r.id
    join (select run_id, count(*) filter (where status = 'failed') as failed,
            count(*) filter (where error_code = 'CANCELLED') as cancelled,
            count(*) filter (where status in ('pending', 'running')) as open,
            array_agg(distinct error_code) filter (where status = 'failed') as codes
          from ${ALL_JOBS} j group by run_id) j on j.run_id = r.id
    left join (select run_id, sum(u.tokens_input) as tokens_input,
                 sum(u.tokens_output) as tokens_output
               from usage_ledger u join ${ALL_JOBS} j on j.id = u.job_id group by run_id) l
      on l.run_id = r.id
    where r.open_jobs <> j.open or r.open_jobs <> 0 or r.failed_jobs <> j.failed
      or r.status <> case when e.status = 'completed' then 'complete'
                          when e.id is not null then e.status
                          when j.cancelled > 0 then 'cancelled'
                          when j.failed > 0 then 'failed' else 'complete' end
      or r.ended_at is null or r.cancelled_jobs <> j.cancelled
      or r.tokens_input <> coalesce(l.tokens_input, 0)
      or r.tokens_output <> coalesce(l.tokens_output, 0)`,
  'a month that does not agree with the ledger': `
    select m.team_id, m.tokens_input, l.tokens_input, m.tokens_output, l.tokens_output
    from (select team_id, sum(tokens_input) as tokens_input, sum(tokens_output) as tokens_output,
            sum(tokens_cached) as tokens_cached, sum(cost_usd) as cost_usd
          from usage_months group by team_id) m
    full join (select team_id, sum(tokens_input) as tokens_input,
            sum(tokens_output) as tokens_output, sum(tokens_cached) as tokens_cached,
            coalesce(sum(cost_usd) filter (where provider <> 'simulator'), 0) as cost_usd
          from usage_ledger group by team_id) l on l.team_id = m.team_id
    where m.tokens_input is distinct from l.tokens_input
      or m.tokens_output is distinct from l.tokens_output
      or m.tokens_cached is distinct from l.tokens_cached
      or abs(m.cost_usd - l.cost_usd) > 1e-6`,
  // One that the server lost gives its quota back, a cancelled one only when it had not begun.
  'a month that counts other runs than there are': `
    select m.team_id, m.runs_counted, m.runs_recorded, r.complete, r.cancelled, r.runs
    from usage_months m
    join (select team_id, count(*) as runs,
            count(*) filter (where status = 'complete') as complete,
            count(*) filter (where status = 'cancelled') as cancelled
          from runs group by team_id) r on r.team_id = m.team_id
    where m.runs_recorded <> r.runs
      or m.runs_counted not between r.complete and r.complete + r.cancelled`,
  'two jobs of one key': `
    select stream_id, count(*), min(id), max(id) from ${ALL_JOBS} j where execution_id is null
    group by team_id, stream_id having count(*) > 1`,
  'a key that names another job than its own': `
    select k.key, k.resource_id from idempotency_keys k
    left join ${ALL_JOBS} j on j.id = k.resource_id and j.stream_id = k.key where j.id is null`,
  'a place in the line of an ended job': `
    select id, status from ${ALL_JOBS} j where virtual_time is not null or start_after is not null`,
  'a job of a team at its cap that does not exist': `
    select team_id, in_queue from team_queue where in_queue <> 0`,
});

/** What is wrong, in words; nothing when all is well. */
export async function findContradictions(
  db: Db,
  /** Codes with which jobs may fail, besides the loss of their workers. */
  { mayFail = [] }: { mayFail?: readonly string[] } = {},
): Promise<string[]> {
  const found = await findUsageGaps(db);
  for (const [what, text] of Object.entries(checksFor(mayFail))) {
    const { rows } = await db.query(text);
    if (rows.length > 0)
      found.push(`${what} (${rows.length}): ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return found;
}

export async function countJobs(db: Db): Promise<TableCount> {
  const { rows } = await db.query<TableCount>(
    `select count(*) filter (where status = 'completed') as completed,
       count(*) filter (where error_code = 'WORKER_LOST') as "workerLost",
       coalesce(sum(losses), 0) as losses
     from ${ALL_JOBS} j`,
  );
  return rows[0]!;
}

export async function untilAllEnded(db: Db): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await db.query(
      `select 1 from jobs where status in ('pending', 'running') or settled_at is null limit 1`,
    );
    return rows.length === 0;
  }, 'the end of every job');
}

/** Dead nodes and their text are cleared away a little after the jobs; `nodes` are to be left. */
export async function untilTidy(db: Db, nodes: number): Promise<void> {
  const counted = async (table: string): Promise<number> => {
    const { rows } = await db.query<{ count: number }>(`select count(*) from ${table}`);
    return rows[0]!.count;
  };
  // Processes without slots answer requests only.
  const workers = 'nodes where slots > 0';
  await waitUntil(async () => (await counted(workers)) === nodes, `${nodes} nodes`);
  const untilNoText = () =>
    waitUntil(async () => (await counted('streamed_text')) === 0, 'no text');
  // What a killed worker left is removed once a minute, which is as long as one wait.
  await untilNoText().catch(untilNoText);
}
