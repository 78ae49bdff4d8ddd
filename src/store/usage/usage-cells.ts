// What a team used in a month, as far apart as it is kept: by day, member, key and model. Everything that
// is shown is added up from these, so no two views can disagree.
import type { RecordedCell, UsageCell } from '../../domain/usage/usage-cells.ts';
import type { Queryable } from '../postgres/db.ts';
import { IS_SINGLE_CALL, LATE, LEDGER_SUMS, SUM_COLUMNS } from './ledger-sums.ts';

/** First days: of the month, and of the next one. */
export interface MonthSpan {
  start: string;
  end: string;
}

const inMonth = (column: string) =>
  `${column} >= $2::date::timestamp at time zone 'utc' and ${column} < $3::date::timestamp at time zone 'utc'`;

const COLUMNS = `day, user_id, api_key_id, provider, model, ${SUM_COLUMNS.join(', ')}`;

// What is rolled up, what came since, and what is never rolled up. One statement, so that a roll-up that
// ends meanwhile is seen whole or not at all.
const listFrom = (
  days: 'usage_days' | 'usage_call_days',
  where = '',
) => `select c.day::text as day, c.user_id as "userId", u.email, u.name as "userName",
      nullif(c.api_key_id, '') as "keyId", k.name as "keyName", c.provider, c.model,
      c.jobs, c.tokens_input as input, c.tokens_output as output, c.tokens_cached as "cachedInput",
      c.cost_usd as "costUsd", c.unpriced_jobs as "unpricedJobs", c.unpriced_calls as "unpricedCalls"
    from (
      select day, user_id, api_key_id, provider, model,
        ${SUM_COLUMNS.map((column) => `sum(${column})${column === 'cost_usd' ? '' : '::bigint'} as ${column}`).join(', ')}
      from (
        select ${COLUMNS} from ${days} where team_id = $1 and day >= $2::date and day < $3::date
        union all
        select ${LEDGER_SUMS} from usage_ledger l
        where l.team_id = $1 and ${inMonth('l.recorded_at')} and l.outcome not in ${LATE}${where}
          and l.recorded_at >= (select rolled_until from usage_rollup)
        group by 1, 2, 3, 4, 5
        union all
        select ${LEDGER_SUMS} from usage_ledger l
        where l.team_id = $1 and ${inMonth('l.recorded_at')} and l.outcome in ${LATE}${where}
        group by 1, 2, 3, 4, 5
      ) s group by 1, 2, 3, 4, 5
    ) c
    left join users u on u.id = c.user_id left join api_keys k on k.id = c.api_key_id
    order by c.day, u.email, c.api_key_id, c.provider, c.model`;

const LIST = { name: 'usage_cells', text: listFrom('usage_days') };
export const LIST_CALLS = {
  name: 'usage_call_cells',
  text: listFrom('usage_call_days', ` and ${IS_SINGLE_CALL}`),
};

export async function listUsageCells(
  db: Queryable,
  teamId: string,
  { start, end }: MonthSpan,
): Promise<UsageCell[]> {
  const { rows } = await db.query<UsageCell>(LIST, [teamId, start, end]);
  return rows;
}

/** Of calls through the model endpoint that belong to no run; they are among the others, too. */
export async function listCallCells(
  db: Queryable,
  teamId: string,
  { start, end }: MonthSpan,
): Promise<UsageCell[]> {
  const { rows } = await db.query<UsageCell>(LIST_CALLS, [teamId, start, end]);
  return rows;
}

const LIST_RECORDED = {
  name: 'usage_recorded_cells',
  text: `select r.day::text as day, r.user_id as "userId", u.email, u.name as "userName",
      nullif(r.api_key_id, '') as "keyId", k.name as "keyName", count(*)::int as runs,
      sum(r.tokens_input)::bigint as input, sum(r.tokens_output)::bigint as output,
      sum(r.cost_usd) as "costUsd", sum(r.unpriced_calls)::bigint as "unpricedCalls"
    from recorded_usage r
    left join users u on u.id = r.user_id left join api_keys k on k.id = r.api_key_id
    where r.team_id = $1 and r.day >= $2::date and r.day < $3::date
    group by 1, 2, 3, 4, 5, 6, r.api_key_id order by 1, 3, r.api_key_id`,
};

/** Of runs that clients recorded. */
export async function listRecordedCells(
  db: Queryable,
  teamId: string,
  { start, end }: MonthSpan,
): Promise<RecordedCell[]> {
  const { rows } = await db.query<RecordedCell>(LIST_RECORDED, [teamId, start, end]);
  return rows;
}
