// What the current month of a team has come to: its quota, its budget and its executions.
import type { Queryable } from '../postgres/db.ts';
import { BUDGET_SUMS } from './team-budgets.ts';
import { THIS_MONTH } from './usage-months.ts';

export interface TeamMonth {
  /** As 2026-11. */
  month: string;
  runsCounted: number;
  limitUsd: number | null;
  spentUsd: number;
  reservedUsd: number;
}

const FIND = {
  name: 'team_month',
  text: `select to_char(${THIS_MONTH}, 'YYYY-MM') as month,
      coalesce(m.runs_counted, 0) as "runsCounted", q.budget_usd as "limitUsd",
      s.spent as "spentUsd", s.reserved as "reservedUsd"
    from (select ${BUDGET_SUMS} from usage_months where team_id = $1) s
    left join team_queue q on q.team_id = $1
    left join usage_months m on m.team_id = $1 and m.month = ${THIS_MONTH}`,
};

export async function findTeamMonth(db: Queryable, teamId: string): Promise<TeamMonth> {
  const { rows } = await db.query<TeamMonth>(FIND, [teamId]);
  return rows[0]!;
}

export interface ExecutionCounts {
  running: number;
  completed: number;
  failed: number;
  cancelled: number;
}

// By the time in their ids, which is in an index together with their states.
const COUNT_EXECUTIONS = {
  name: 'team_executions',
  text: `select status, count(*)::int as count from executions
    where team_id = $1 and status = any($2) and id >= $3 and id < $4 group by status`,
};

/** Of those started between two moments, given as the first ids of both. */
export async function countExecutions(
  db: Queryable,
  teamId: string,
  { firstId, endId }: { firstId: string; endId: string },
): Promise<ExecutionCounts> {
  const counts: ExecutionCounts = { running: 0, completed: 0, failed: 0, cancelled: 0 };
  const { rows } = await db.query<{ status: keyof ExecutionCounts; count: number }>(
    COUNT_EXECUTIONS,
    [teamId, Object.keys(counts), firstId, endId],
  );
  for (const { status, count } of rows) counts[status] = count;
  return counts;
}
