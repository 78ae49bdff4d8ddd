// What the budgets of teams have come to, as a decision under the lock of the team's queue needs it.
import type { TeamBudget } from '../../domain/usage/team-budget.ts';
import type { Queryable } from '../postgres/db.ts';
import { THIS_MONTH } from './usage-months.ts';

interface SpentRow {
  team_id: string;
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

const FIND = {
  name: 'team_budgets',
  text: `select team_id, ${BUDGET_SUMS} from usage_months where team_id = any($1) group by team_id`,
};

/** Of those teams that have one. Nothing is asked when none has. */
export async function findBudgets(
  tx: Queryable,
  teams: readonly { team_id: string; budget_usd: number | null }[],
): Promise<Map<string, TeamBudget>> {
  const limits = new Map<string, number>();
  for (const team of teams) {
    if (team.budget_usd !== null) limits.set(team.team_id, team.budget_usd);
  }
  if (limits.size === 0) return new Map();
  const { rows } = await tx.query<SpentRow>(FIND, [[...limits.keys()]]);
  const spent = new Map(rows.map((row) => [row.team_id, row]));
  return new Map(
    [...limits].map(([teamId, limitUsd]) => [
      teamId,
      {
        limitUsd,
        spentUsd: spent.get(teamId)?.spent ?? 0,
        reservedUsd: spent.get(teamId)?.reserved ?? 0,
      },
    ]),
  );
}
