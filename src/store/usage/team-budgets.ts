// What the budgets of teams have come to, as a decision under the lock of the team's queue needs it.
import type { TeamBudget } from '../../domain/usage/team-budget.ts';
import type { Queryable } from '../postgres/db.ts';
import { listOf } from '../postgres/list-of.ts';
import { THIS_MONTH } from './usage-months.ts';

interface SpentRow {
  team_id: string;
  limit_usd: number;
  spent: number;
  reserved: number;
}

/**
 * Over all months of a team. What is reserved counts whichever month it was reserved in: it is spent in the
 * month in which its job ends. Both are read at once, so a job that is being settled counts as the one or
 * as the other.
 */
export const BUDGET_SUMS = `coalesce(sum(reserved_usd), 0) as reserved,
  coalesce(sum(cost_usd + recorded_cost_usd) filter (where month = ${THIS_MONTH}), 0) as spent`;

/** With team_id, limit_usd, spent and reserved, of those teams of this parameter that have a budget. */
export const budgetsOf = (
  teams: string,
) => `select q.team_id, q.budget_usd as limit_usd, s.spent, s.reserved
  from team_queue q
  cross join lateral (select ${BUDGET_SUMS} from usage_months where team_id = q.team_id) s
  where q.team_id = any(${listOf(teams)}) and q.budget_usd is not null`;

const FIND = { name: 'team_budgets', text: budgetsOf('$1') };

/** The caller holds the queues of these teams, or has asked for them before this in the same transaction. */
export async function findBudgets(
  tx: Queryable,
  teamIds: readonly string[],
): Promise<Map<string, TeamBudget>> {
  const { rows } = await tx.query<SpentRow>(FIND, [teamIds]);
  return new Map(
    rows.map((row) => [
      row.team_id,
      { limitUsd: row.limit_usd, spentUsd: row.spent, reservedUsd: row.reserved },
    ]),
  );
}
