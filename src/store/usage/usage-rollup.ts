// Adds the ledger up by day in the background, so that a month is read from a few rows. What came after
// the mark is read from the ledger itself: a reader sees both in one statement, and misses nothing.
import type { Db } from '../postgres/db.ts';
import { IS_SINGLE_CALL, LATE, LEDGER_SUMS, SUM_COLUMNS } from './ledger-sums.ts';

/** Rows carry the time at which their transaction began: none may come behind the mark any more. */
const MARGIN_MS = 60_000;

/** Of several nodes, one does it. A day at a time: the first pass over an old ledger may be long. */
const LOCK = `select rolled_until, least(
    now() - $1 * interval '1 millisecond',
    rolled_until + interval '1 day',
    (select min(xact_start) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid())) as until
  from usage_rollup for update skip locked`;

// Team by team, each through its own index. A team with rows in the ledger has a month.
const addTo = (
  days: 'usage_days' | 'usage_call_days',
  where = '',
) => `insert into ${days} as d (team_id, day, user_id, api_key_id, provider, model,
    ${SUM_COLUMNS.join(', ')})
  select t.team_id, s.* from (
      select distinct team_id from usage_months
      where month >= date_trunc('month', $1::timestamptz at time zone 'utc')
        and month <= ($2::timestamptz at time zone 'utc')
    ) t cross join lateral (
      select ${LEDGER_SUMS} from usage_ledger l
      where l.team_id = t.team_id and l.recorded_at >= $1 and l.recorded_at < $2
        and l.outcome not in ${LATE}${where}
      group by 1, 2, 3, 4, 5) s
  on conflict (team_id, day, user_id, api_key_id, provider, model) do update set
    ${SUM_COLUMNS.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ')}`;

const ADD = addTo('usage_days');
const ADD_CALLS = addTo('usage_call_days', ` and ${IS_SINGLE_CALL}`);

async function rollUpOnce(db: Db, marginMs: number): Promise<boolean> {
  return db.tx(async (tx) => {
    const { rows } = await tx.query<{ rolled_until: Date; until: Date }>(LOCK, [marginMs]);
    const mark = rows[0];
    if (mark === undefined || mark.until <= mark.rolled_until) return false;
    await tx.query(ADD, [mark.rolled_until, mark.until]);
    await tx.query(ADD_CALLS, [mark.rolled_until, mark.until]);
    await tx.query('update usage_rollup set rolled_until = $1', [mark.until]);
    return true;
  });
}

const MOST_DAYS = 50;

export async function rollUpUsage(db: Db, marginMs = MARGIN_MS): Promise<void> {
  for (let day = 0; day < MOST_DAYS; day++) {
    if (!(await rollUpOnce(db, marginMs))) return;
  }
}
