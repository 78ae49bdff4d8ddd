// Moves jobs that ended a while ago from `jobs` to `archived_jobs`, oldest first. A batch is one transaction, and
// locks what an end locks, in the same order; what others hold is left for the next round. Several nodes
// may do it at once, but one at a time does.
import { firstIdAt, timeOfId } from '../../platform/ids.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { OPTIONAL_TEXTS, storeTexts, textBytes } from './archived-texts.ts';
import type { StoredTexts, TextStore } from './archived-texts.ts';
import { ARCHIVED_JOBS, ensurePartition, partitionOf } from './archive-partitions.ts';
import { LOST_CODE } from './job-outcome.ts';
import { runKeyValues, runsOfKeys, withRun } from '../runs/lock-runs.ts';

const MOVING = 7_246_130_554;

/** All of them, so that a column which is missing there stops the move instead of being lost. */
export async function listJobColumns(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = 'jobs'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  return rows.map(({ name }) => name);
}

// Nothing of these changes any more. Jobs that the server lost stay: whether a run gets its quota back
// depends on them, and that is asked of `jobs` alone.
const IS_OVER = `status in ('completed', 'failed') and settled_at is not null and reserved_usd is null
  and (error_code is distinct from '${LOST_CODE}' or run_id is null) and ended_at < now() - $2 * interval '1 millisecond'`;

const LIST = `select id, team_id as "teamId", run_id as "runId", ${textBytes('jobs')} as bytes from jobs where id > $1 and id < $3 and ${IS_OVER} order by id limit $4`;

/** Texts that are in the object store are left out here. */
function movedColumn(column: string): string {
  if (column === 'texts_key') return 's.key';
  if (column === 'prompt') return `case when s.key is null then m.prompt else '""' end`;
  const isText = (OPTIONAL_TEXTS as readonly string[]).includes(column);
  return isText ? `case when s.key is null then m.${column} end` : `m.${column}`;
}

// A late worker that reports its tokens holds the run of its job, too. An open execution adds up its steps from
// `jobs`.
const moveText = (columns: readonly string[]) => `
  with stored as materialized (
    select * from unnest($4::text[], $5::text[], $6::int[]) s(job_id, key, bytes)
  ),
  held as materialized (
    select r.team_id, r.id from ${runsOfKeys('$1', '$7')}
    where not (r.source = 'execution' and r.ended_at is null)
    order by r.team_id, r.id for update of r skip locked
  ),
  moved as (
    delete from jobs j where j.id = any($3) and ${IS_OVER}
      and (j.run_id is null or (j.team_id, j.run_id) in (select team_id, id from held))
    returning j.*
  ),
  kept as (
    insert into ${ARCHIVED_JOBS} (${columns.join(', ')}) select ${columns.map(movedColumn).join(', ')}
    from moved m left join stored s on s.job_id = m.id and s.bytes = ${textBytes('m')}
    returning texts_key
  ),
  named as (delete from discarded_texts where key in (select texts_key from kept)),
  widened as (
  update runs r set archived_from = least(r.archived_from, m.first),
    archived_to = greatest(r.archived_to, m.last),
    archived_estimated = r.archived_estimated or m.estimated
  from (select team_id, run_id, min(id) as first, max(id) as last, bool_or(usage_estimated) as estimated,
          count(*) as jobs
        from moved where run_id is not null group by team_id, run_id) m
  where r.team_id = m.team_id and r.id = m.run_id
  )
  select count(*)::int as jobs from moved`;

export interface MoveOptions {
  columns: readonly string[];
  /** Where large texts go; undefined: they stay in the database. */
  texts?: TextStore | undefined;
  /** Jobs with large texts are left for a later round. */
  isStoreDown?: boolean;
  /** Only jobs after this id. */
  after: string;
  /** How long ago they ended at least. */
  ageMs: number;
  limit: number;
  nowMs: number;
}

export interface Moved {
  jobs: number;
  /** The last id that was looked at; undefined when there are no more, or another node is at it. */
  last: string | undefined;
  /** Why large texts could not be stored: their jobs stay where they are. */
  problem?: unknown;
}

interface Candidate {
  id: string;
  teamId: string;
  runId: string | null;
  bytes: number;
}

interface Uploaded {
  stored: StoredTexts[];
  /** Jobs whose texts are large and not stored. */
  left: Set<string>;
  problem?: unknown;
}

/** One after the other, outside of any transaction. After a failure nothing more is tried in this batch. */
async function upload(
  db: Db,
  { texts, isStoreDown }: MoveOptions,
  jobs: readonly Candidate[],
): Promise<Uploaded> {
  const stored: StoredTexts[] = [];
  if (texts === undefined) return { stored, left: new Set() };
  const large = jobs.filter(({ bytes }) => bytes >= texts.leastBytes);
  const left = new Set(large.map(({ id }) => id));
  if (isStoreDown === true) return { stored, left };
  for (const { id } of large) {
    try {
      const found = await storeTexts(db, texts, id);
      if (found !== undefined) stored.push(found);
      left.delete(id);
    } catch (problem) {
      return { stored, left, problem };
    }
  }
  return { stored, left };
}

async function makePartitions(tx: Queryable, jobs: readonly Candidate[]): Promise<Candidate[]> {
  const months = new Map<string, Date>();
  const placed = jobs.filter(({ id }) => {
    const at = timeOfId(id);
    if (at !== undefined) months.set(partitionOf(at), at);
    return at !== undefined;
  });
  for (const at of months.values()) await ensurePartition(tx, at);
  return placed;
}

export async function moveEndedJobs(db: Db, options: MoveOptions): Promise<Moved> {
  const { columns, after, ageMs, limit, nowMs } = options;
  const before = firstIdAt('job', new Date(nowMs - ageMs));
  const { rows } = await db.query<Candidate>(LIST, [after, ageMs, before, limit]);
  if (rows.length === 0) return { jobs: 0, last: undefined };
  const { stored, left, ...failed } = await upload(db, options, rows);
  const last = rows.length < limit ? undefined : rows.at(-1)!.id;
  return db.tx(async (tx) => {
    const lock = await tx.query<{ got: boolean }>(
      'select pg_try_advisory_xact_lock($1::bigint) as got',
      [MOVING],
    );
    if (lock.rows[0]?.got !== true) return { jobs: 0, last: undefined };
    await tx.query(`set local lock_timeout = '2s'`);
    const placed = await makePartitions(
      tx,
      rows.filter(({ id }) => !left.has(id)),
    );
    const [teams, runs] = runKeyValues(withRun(placed));
    const moved = await tx.query<{ jobs: number }>(moveText(columns), [
      teams,
      ageMs,
      placed.map((job) => job.id),
      stored.map(({ jobId }) => jobId),
      stored.map(({ key }) => key),
      stored.map(({ bytes }) => bytes),
      runs,
    ]);
    return { jobs: moved.rows.reduce((sum, row) => sum + row.jobs, 0), last, ...failed };
  });
}
