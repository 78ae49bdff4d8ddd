// The most that runs and streams may cost, and what of it is spent and reserved. Code that changes these rows holds the
// team's queue or the run.
import type { RunKey } from '../../domain/run/run-key.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunCap } from '../../domain/usage/run-caps.ts';
import type { Queryable } from '../postgres/db.ts';
import { rowset } from '../postgres/rowset.ts';
import { runKeyValues } from '../runs/lock-runs.ts';

interface CapRow extends RunKey {
  /** Empty: of the whole run. */
  streamId: string;
  limitUsd: number;
  spentUsd: number;
  reservedUsd: number;
}

const FIND = {
  name: 'find_run_caps',
  text: `select c.run_id as "runId", c.team_id as "teamId", c.stream_id as "streamId", c.limit_usd as "limitUsd",
      c.spent_usd as "spentUsd", c.reserved_usd as "reservedUsd"
    from unnest($1::text[], $2::text[]) k(team_id, id)
    join run_caps c on c.run_id = k.id and c.team_id = k.team_id`,
};

/** By `runKeyText`. */
export async function findRunCaps(
  db: Queryable,
  runs: Iterable<RunKey>,
): Promise<Map<string, RunCap[]>> {
  const { rows } = await db.query<CapRow>(FIND, runKeyValues(runs));
  const found = new Map<string, RunCap[]>();
  for (const { runId, teamId, streamId, ...cap } of rows) {
    const key = runKeyText({ teamId, runId });
    const ofRun = found.get(key) ?? [];
    ofRun.push({ ...cap, streamId: streamId === '' ? undefined : streamId });
    found.set(key, ofRun);
  }
  return found;
}

/** For `cross join lateral`: a job counts for its run and for its stream. */
const SCOPES = (stream: string) => `(values (''), (${stream})) s(scope)`;

interface Reserving {
  job: { teamId: string; streamId: string };
  runId: string | undefined;
  reservedUsd: number | undefined;
}

const RESERVED = rowset<Reserving>('v', {
  team_id: ['text', ({ job }) => job.teamId],
  run_id: ['text', ({ runId }) => runId],
  stream_id: ['text', ({ job }) => job.streamId],
  reserved_usd: ['float8', ({ reservedUsd }) => reservedUsd],
});

const RESERVE = {
  name: 'reserve_of_run_caps',
  text: `update run_caps c set reserved_usd = c.reserved_usd + d.reserved_usd
    from (select v.team_id, v.run_id, s.scope, sum(v.reserved_usd) as reserved_usd
          from ${RESERVED.sql} cross join lateral ${SCOPES('v.stream_id')} group by 1, 2, 3) d
    where c.run_id = d.run_id and c.team_id = d.team_id and c.stream_id = d.scope`,
};

export async function reserveOfCaps(tx: Queryable, rows: readonly Reserving[]): Promise<void> {
  const reserving = rows.filter(
    ({ runId, reservedUsd }) => runId !== undefined && reservedUsd !== undefined,
  );
  if (reserving.length > 0) await tx.query(RESERVE, RESERVED.values(reserving));
}

/** For a CTE. `source`: rows with team_id, run_id, stream_id, cost_usd and released_usd, either of which may be null. */
export function settleCaps(source: string): string {
  return `update run_caps c set spent_usd = greatest(0, c.spent_usd + d.cost_usd),
      reserved_usd = greatest(0, c.reserved_usd - d.released_usd)
    from (select e.team_id, e.run_id, s.scope, sum(coalesce(e.cost_usd, 0)) as cost_usd,
            sum(coalesce(e.released_usd, 0)) as released_usd
          from (${source}) e cross join lateral ${SCOPES('e.stream_id')} group by 1, 2, 3) d
    where c.run_id = d.run_id and c.team_id = d.team_id and c.stream_id = d.scope`;
}

export interface NewCap {
  /** Undefined: of the whole run. */
  streamId: string | undefined;
  /** Null: none from now on. */
  limitUsd: number | null;
}

// What was spent and is reserved by then is found in the jobs themselves, archived ones included.
const SET = `with v as (select * from unnest($3::text[], $4::float8[]) v(stream_id, limit_usd)),
  used as (
    select stream_id, case when simulated then 0 else coalesce(cost_usd, 0) end as cost_usd,
      coalesce(reserved_usd, 0) as reserved_usd
    from jobs where team_id = $1 and run_id = $2
    union all
    select a.stream_id, case when a.simulated then 0 else coalesce(a.cost_usd, 0) end, 0
    from runs r join archived_jobs a on a.team_id = r.team_id and a.run_id = r.id
      and a.id between r.archived_from and r.archived_to
    where r.team_id = $1 and r.id = $2
  )
  insert into run_caps as c (run_id, team_id, stream_id, limit_usd, spent_usd, reserved_usd)
  select $2, $1, v.stream_id, v.limit_usd,
    coalesce((select sum(cost_usd) from used u where v.stream_id in ('', u.stream_id)), 0),
    coalesce((select sum(reserved_usd) from used u where v.stream_id in ('', u.stream_id)), 0)
  from v order by v.stream_id
  on conflict (run_id, team_id, stream_id) do update set limit_usd = excluded.limit_usd,
    spent_usd = excluded.spent_usd, reserved_usd = excluded.reserved_usd`;

/** The caller holds the team's queue, then the run. */
export async function setRunCaps(
  tx: Queryable,
  { teamId, runId }: RunKey,
  caps: readonly NewCap[],
): Promise<void> {
  const scopeOf = ({ streamId }: NewCap) => streamId ?? '';
  const gone = caps.filter(({ limitUsd }) => limitUsd === null).map(scopeOf);
  const kept = caps.filter(({ limitUsd }) => limitUsd !== null);
  await tx.query(
    'delete from run_caps where run_id = $2 and team_id = $1 and stream_id = any($3)',
    [teamId, runId, gone],
  );
  await tx.query(SET, [teamId, runId, kept.map(scopeOf), kept.map(({ limitUsd }) => limitUsd)]);
}
