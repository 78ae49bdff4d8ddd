// What a team has used: this month against its limits, and any month in detail.
import type { CurrentUsage, UsageHistory } from '../../contract/usage-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { monthOf } from '../../domain/job/tiers.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import { usageCsv } from '../../domain/usage/usage-csv.ts';
import { roundUsd, spanOf, totalsOf, usageOfMonth } from '../../domain/usage/usage-month.ts';
import type { MonthCells } from '../../domain/usage/usage-month.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { Db } from '../../store/postgres/db.ts';
import { countExecutions, findTeamMonth } from '../../store/usage/team-usage.ts';
import { listCallCells, listRecordedCells, listUsageCells } from '../../store/usage/usage-cells.ts';

export interface UsageService {
  /** `requestsPerMinute` is the caller's own. */
  current(identity: Identity, requestsPerMinute: number): Promise<CurrentUsage>;
  history(identity: Identity, month: string | undefined): Promise<UsageHistory>;
  csv(identity: Identity, month: string | undefined): Promise<{ month: string; text: string }>;
}

export function createUsageService({ db, tiers }: { db: Db; tiers: Tiers }): UsageService {
  async function cellsOf(teamId: string, month: string): Promise<MonthCells> {
    const span = spanOf(month);
    const [cells, recorded] = await Promise.all([
      listUsageCells(db, teamId, span),
      listRecordedCells(db, teamId, span),
    ]);
    return { cells, recorded };
  }

  /** The database's, as the quota's is. */
  const thisMonth = async (teamId: string) => (await findTeamMonth(db, teamId)).month;

  return {
    async current({ teamId, tier }, requestsPerMinute) {
      const state = await findTeamMonth(db, teamId);
      const { start, end } = monthOf(new Date(`${state.month}-01T00:00:00Z`));
      const ids = { firstId: firstIdAt('exec', start), endId: firstIdAt('exec', end) };
      const [used, counts] = await Promise.all([
        cellsOf(teamId, state.month),
        countExecutions(db, teamId, ids),
      ]);
      const { running, ...ended } = counts;
      const { jobs: _, ...sums } = totalsOf(used);
      const limit = tiers[tier].runsPerMonth;
      return {
        period: state.month,
        periodStart: start.toISOString(),
        periodEnd: end.toISOString(),
        tier,
        runs: {
          used: state.runsCounted,
          limit,
          remaining: limit === null ? null : Math.max(0, limit - state.runsCounted),
        },
        ...sums,
        executions: {
          total: running + ended.completed + ended.failed + ended.cancelled,
          ...ended,
        },
        rateLimit: { requestsPerMinute },
        budget: {
          limitUsd: state.limitUsd,
          spentUsd: roundUsd(state.spentUsd),
          reservedUsd: roundUsd(state.reservedUsd),
        },
      };
    },

    async history({ teamId }, asked) {
      const month = asked ?? (await thisMonth(teamId));
      const [used, calls] = await Promise.all([
        cellsOf(teamId, month),
        listCallCells(db, teamId, spanOf(month)),
      ]);
      return usageOfMonth(month, used, calls);
    },

    async csv({ teamId }, asked) {
      const month = asked ?? (await thisMonth(teamId));
      return { month, text: usageCsv(await cellsOf(teamId, month)) };
    },
  };
}
