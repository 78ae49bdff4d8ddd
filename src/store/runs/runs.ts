// History: runs and their streams.
import type {
  HistoryQuery,
  RecordRunRequest,
  RunStatus,
  RunStream,
  RunSummary,
} from '../../contract/history-api.ts';
import { jobsOfRun, movedOf, readJobsOfRun } from '../jobs/archived-jobs.ts';
import type { MovedColumns, MovedJobs, RunWithMoved } from '../jobs/archived-jobs.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { roundUsd } from '../../domain/usage/usage-month.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { updateRecordedUsage } from '../usage/recorded-usage.ts';
import { addToMonths } from '../usage/usage-months.ts';
import { IS_LIVE } from './run-reports.ts';

interface RunRow extends MovedColumns {
  id: string;
  team_id: string;
  feature: string;
  status: RunStatus;
  stream_count: number;
  wave_count: number;
  duration_ms: number;
  started_at: Date;
  cost_usd: number;
  unpriced_calls: number;
  usage_estimated: boolean;
  models: string[] | null;
  user_id: string;
  author: string | null;
}

// Not `exists`: the planner may then read all jobs once, to know it of every run, for a page of fifty.
const RUN_COLUMNS = `id, team_id, feature, status, stream_count, wave_count, started_at, cost_usd,
  unpriced_calls, coalesce((select true from jobs j
    where j.team_id = runs.team_id and j.run_id = runs.id and j.usage_estimated limit 1),
    archived_estimated) as usage_estimated, archived_from, archived_to,
  (select array_agg(distinct j.model) from jobs j
    where j.team_id = runs.team_id and j.run_id = runs.id) as models,
  user_id, (select coalesce(u.name, u.email) from users u where u.id = runs.user_id and u.deleted_at is null) as author,
  coalesce(duration_ms, (extract(epoch from now() - started_at) * 1000)::bigint) as duration_ms`;

function toSummary(row: RunRow): RunSummary {
  return {
    id: row.id,
    feature: row.feature,
    status: row.status,
    streamCount: row.stream_count,
    waveCount: row.wave_count,
    durationMs: Math.max(0, row.duration_ms),
    startedAt: row.started_at.toISOString(),
    totalCostUsd: roundUsd(row.cost_usd),
    ...(row.unpriced_calls > 0 ? { unpricedCalls: row.unpriced_calls } : {}),
    ...(row.usage_estimated ? { usageEstimated: true } : {}),
    ...(row.models === null ? {} : { models: row.models }),
    ...(row.author === null ? {} : { author: { id: row.user_id, name: row.author } }),
  };
}

/**
 * The models of jobs that have moved, by a statement of their own: within the other one every run of a page would
 * look into every month. A run says in the same row that its jobs have moved, so none is missed.
 */
async function addArchivedModels(
  db: Queryable,
  teamId: string,
  rows: readonly RunRow[],
): Promise<void> {
  const moved = rows.flatMap((row) => movedOf(row) ?? []);
  if (moved.length === 0) return;
  // Not prepared: planned for these ids, it asks for their months alone.
  const { rows: found } = await db.query<{ run_id: string; models: string[] }>(
    `select run_id, array_agg(distinct model) as models from archived_jobs
     where team_id = $1 and run_id = any($2) and id >= $3 and id <= $4 group by run_id`,
    [
      teamId,
      rows.filter(movedOf).map(({ id }) => id),
      moved.map(({ from }) => from).reduce((a, b) => (a < b ? a : b)),
      moved.map(({ to }) => to).reduce((a, b) => (a > b ? a : b)),
    ],
  );
  const byRun = new Map(found.map(({ run_id: id, models }) => [id, models]));
  for (const row of rows) {
    const models = byRun.get(row.id);
    if (models) row.models = [...new Set([...(row.models ?? []), ...models])].sort();
  }
}

interface Filter {
  where: string;
  values: unknown[];
  /** Only the team: then the total is known without counting. */
  plain: boolean;
}

/** Between two of its jobs a run looks ended; its command line knows better. */
const SHOWN_STATUS = `case when exists (select 1 from run_reports p
  where p.team_id = runs.team_id and p.run_id = runs.id and ${IS_LIVE}) then 'in_progress' else status end`;

function filterOf(teamId: string, query: HistoryQuery): Filter {
  const values: unknown[] = [teamId];
  const parts = ['team_id = $1'];
  const add = (sql: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    values.push(value);
    parts.push(sql(`$${values.length}`));
  };
  add((p) => `${SHOWN_STATUS} = ${p}`, query.status);
  add((p) => `strpos(lower(feature), lower(${p})) > 0`, query.feature);
  add((p) => `user_id = ${p}`, query.author);
  add((p) => `started_at >= ${p}`, query.since);
  add((p) => `started_at < ${p}`, query.until);
  return { where: parts.join(' and '), values, plain: parts.length === 1 };
}

export async function listRuns(
  db: Db,
  teamId: string,
  query: HistoryQuery,
): Promise<{ items: RunSummary[]; total: number }> {
  const filter = filterOf(teamId, query);
  const { length } = filter.values;
  const page = {
    // Filters make many texts; only the plain list, which most callers want, is worth preparing.
    ...(filter.plain ? { name: 'list_runs' } : {}),
    text: `select ${RUN_COLUMNS} from runs where ${filter.where}
           order by started_at desc, id desc limit $${length + 1} offset $${length + 2}`,
  };
  const [found, counted] = await Promise.all([
    db.query<RunRow>(page, [...filter.values, query.limit, query.offset]),
    filter.plain
      ? db.read<{ total: number }>(COUNT_RECORDED, [teamId])
      : db.query<{ total: number }>(
          `select count(*) as total from runs where ${filter.where}`,
          filter.values,
        ),
  ]);
  await addArchivedModels(db, teamId, found.rows);
  return { items: found.rows.map(toSummary), total: counted.rows[0]?.total ?? 0 };
}

/** Counted as runs are recorded: counting a million rows for every page would take its time. */
const COUNT_RECORDED = {
  name: 'count_recorded_runs',
  text: 'select coalesce(sum(runs_recorded), 0)::float8 as total from usage_months where team_id = $1',
};

export async function findRun(
  db: Queryable,
  { teamId, runId }: RunKey,
): Promise<{ run: RunSummary; moved: MovedJobs | undefined } | undefined> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_COLUMNS} from runs where team_id = $1 and id = $2`,
    [teamId, runId],
  );
  await addArchivedModels(db, teamId, rows);
  const row = rows[0];
  return row && { run: toSummary(row), moved: movedOf(row) };
}

const LIST_TEAMS = {
  name: 'list_teams_of_run',
  text: `select team_id as "teamId" from runs where id = $1
    union select team_id from run_reports where run_id = $1 order by 1`,
};

/** The teams that have a run of this id, in history or reported by a command line. */
export async function listTeamsOfRun(db: Queryable, runId: string): Promise<string[]> {
  const { rows } = await db.query<{ teamId: string }>(LIST_TEAMS, [runId]);
  return rows.map(({ teamId }) => teamId);
}

interface StreamRow {
  stream_id: string;
  name: string;
  status: RunStream['status'];
  wave_number: number;
  files_changed: string | null;
  tokens_input: number;
  tokens_output: number;
  usage_estimated: boolean;
  model: string | null;
}

// A stream that was tried again has several jobs; the newest one has its state, and the tokens of
// all count. What became of the answer of a job that has ended (whether it was applied, whether its
// files passed their checks) only the client knows: its record of state and files wins.
const STREAM_COLUMNS = `id, stream_id, stream_name, status, wave_number, files_changed, tokens_input,
  tokens_output, usage_estimated, model`;

const streamsText = (jobs: string) => `
  with tried as (
    select distinct on (stream_id) stream_id, coalesce(stream_name, stream_id) as name,
      case when status = 'completed' then 'complete' when status = 'running' then 'in_progress'
        else status end as status,
      wave_number, files_changed, model, id as position,
      sum(tokens_input) over (partition by stream_id) as tokens_input,
      sum(tokens_output) over (partition by stream_id) as tokens_output,
      bool_or(usage_estimated) over (partition by stream_id) as usage_estimated
    from ${jobs} j order by stream_id, id desc
  )
  select stream_id, name, status, wave_number, files_changed, tokens_input, tokens_output,
    usage_estimated, model from (
    select t.stream_id, t.name,
      case when t.status in ('pending', 'in_progress') then t.status
        else coalesce(r.status, t.status) end as status,
      t.wave_number, coalesce(r.files_changed, t.files_changed) as files_changed, t.tokens_input,
      t.tokens_output, t.usage_estimated,
      coalesce(r.model, t.model) as model, 0 as source, t.position
    from tried t left join run_streams r
      on r.team_id = $1 and r.run_id = $2 and r.stream_id = t.stream_id
    union all
    select stream_id, name, status, wave_number, files_changed, tokens_input, tokens_output, false, model,
      1, lpad(position::text, 10, '0') from run_streams
    where team_id = $1 and run_id = $2 and stream_id not in (select stream_id from tried)
  ) s order by wave_number, source, position`;

export async function listRunStreams(db: Queryable, known: RunWithMoved): Promise<RunStream[]> {
  const { rows } = await readJobsOfRun(db, known, (run) => {
    const jobs = jobsOfRun(STREAM_COLUMNS, run, 1);
    return db.query<StreamRow>(streamsText(jobs.sql), jobs.values);
  });
  return rows.map((row) => ({
    streamId: row.stream_id,
    name: row.name,
    status: row.status,
    waveNumber: row.wave_number,
    filesChanged: row.files_changed === null ? [] : (JSON.parse(row.files_changed) as string[]),
    tokensInput: row.tokens_input,
    tokensOutput: row.tokens_output,
    ...(row.usage_estimated ? { usageEstimated: true } : {}),
    ...(row.model === null ? {} : { model: row.model }),
  }));
}

// A run may have jobs here as well: their streams are counted by the jobs, the others as recorded.
const recountText = (jobs: string) => `
  with tried as materialized (select * from ${jobs} j), all_streams as (
    select stream_id, wave_number, tokens_input, tokens_output, coalesce(cost_usd, 0) as cost_usd,
      unpriced_calls
    from tried
    union all
    select stream_id, wave_number, tokens_input, tokens_output, cost_usd, unpriced_calls
    from run_streams
    where team_id = $1 and run_id = $2 and stream_id not in (select stream_id from tried)
  )
  update runs r set tokens_input = t.tokens_input, tokens_output = t.tokens_output,
    cost_usd = t.cost_usd, unpriced_calls = t.unpriced_calls, stream_count = greatest(r.stream_count, t.streams),
    wave_count = greatest(r.wave_count, t.waves)
  from (select coalesce(sum(tokens_input), 0) as tokens_input,
          coalesce(sum(tokens_output), 0) as tokens_output, coalesce(sum(cost_usd), 0) as cost_usd,
          coalesce(sum(unpriced_calls), 0) as unpriced_calls, count(distinct stream_id) as streams, coalesce(max(wave_number), 0) as waves
        from all_streams) t
  where r.team_id = $1 and r.id = $2`;

/** A stream whose cost is not known has made at least one call. */
function unpricedOf({
  costUsd,
  unpricedCalls,
}: Pick<RecordRunRequest['streams'][number], 'costUsd' | 'unpricedCalls'>): number {
  return unpricedCalls ?? (costUsd === null ? 1 : 0);
}

export type RecordOutcome = 'created' | 'replaced';

/** Writes a run that a client orchestrated by itself, or replaces what it recorded before. */
export async function upsertRecordedRun(
  tx: Queryable,
  owner: { userId: string; teamId: string; apiKeyId: string | null },
  id: string,
  { run, streams }: RecordRunRequest,
): Promise<RecordOutcome> {
  const sum = (pick: (stream: (typeof streams)[number]) => number) =>
    streams.reduce((total, stream) => total + pick(stream), 0);
  const waveCount =
    run.waveCount ?? streams.reduce((most, stream) => Math.max(most, stream.waveNumber), 0);
  const { rows } = await tx.query<{ inserted: boolean } & MovedColumns>(
    `insert into runs as r (id, user_id, team_id, feature, status, source, stream_count, wave_count,
       tokens_input, tokens_output, cost_usd, started_at, ended_at, duration_ms, unpriced_calls,
       api_key_id)
     values ($1, $2, $3, $4, $5, 'client', $6, $7, $8, $9, $10, $11,
       case when $13 then $11::timestamptz + $12 * interval '1 millisecond' end, $12, $14, $15)
     on conflict (team_id, id) do update set feature = excluded.feature, status = excluded.status,
       stream_count = excluded.stream_count, wave_count = excluded.wave_count,
       tokens_input = excluded.tokens_input, tokens_output = excluded.tokens_output,
       cost_usd = excluded.cost_usd, unpriced_calls = excluded.unpriced_calls, started_at = excluded.started_at,
       ended_at = excluded.ended_at, duration_ms = excluded.duration_ms
     returning (xmax = 0) as inserted, archived_from, archived_to`,
    [
      id,
      owner.userId,
      owner.teamId,
      run.feature,
      run.status,
      run.streamCount ?? streams.length,
      waveCount,
      sum((stream) => stream.tokensInput),
      sum((stream) => stream.tokensOutput),
      sum((stream) => stream.costUsd ?? 0),
      run.startedAt,
      run.durationMs,
      ['complete', 'failed', 'cancelled'].includes(run.status),
      sum(unpricedOf),
      owner.apiKeyId,
    ],
  );
  const written = rows[0]!;
  const { teamId } = owner;
  await tx.query('delete from run_streams where team_id = $1 and run_id = $2', [teamId, id]);
  await tx.query(
    `insert into run_streams (team_id, run_id, position, stream_id, name, status, wave_number, files_changed,
       tokens_input, tokens_output, cost_usd, unpriced_calls, model)
     select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[],
       $9::bigint[], $10::bigint[], $11::float8[], $12::int[], $13::text[])`,
    [
      teamId,
      id,
      streams.map((_, index) => index),
      streams.map((stream) => stream.streamId),
      streams.map((stream) => stream.name ?? stream.streamId),
      streams.map((stream) => stream.status),
      streams.map((stream) => stream.waveNumber),
      streams.map((stream) => JSON.stringify(stream.filesChanged)),
      streams.map((stream) => stream.tokensInput),
      streams.map((stream) => stream.tokensOutput),
      streams.map((stream) => stream.costUsd ?? 0),
      streams.map(unpricedOf),
      streams.map((stream) => stream.model ?? null),
    ],
  );
  // The run is locked: none of its jobs moves meanwhile.
  const recorded = { teamId, runId: id, moved: movedOf(written) };
  if (!written.inserted) {
    const jobs = jobsOfRun(
      'stream_id, wave_number, tokens_input, tokens_output, cost_usd, unpriced_calls',
      recorded,
      1,
    );
    await tx.query(recountText(jobs.sql), jobs.values);
  }
  await updateRecordedUsage(tx, recorded);
  if (written.inserted) await addToMonths(tx, [{ teamId, runsRecorded: 1 }]);
  return written.inserted ? 'created' : 'replaced';
}
