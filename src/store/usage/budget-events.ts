// Sends webhooks the events that a budget runs low or is spent: once for a team, a month and a limit, in the
// transaction that makes it true. A limit that is raised is another one. A job that was refused has spent nothing.
import { DUST_USD } from '../../domain/usage/reservation.ts';
import { BUDGET_EVENTS, BUDGET_SHARES } from '../../domain/usage/team-budget.ts';
import type { BudgetEventName } from '../../domain/usage/team-budget.ts';
import { roundUsd } from '../../domain/usage/usage-month.ts';
import type { Queryable } from '../postgres/db.ts';
import type { PendingSignals } from '../postgres/signals.ts';
import { emitTeamEvent } from '../webhooks/webhook-outbox.ts';
import { budgetsOf } from './team-budgets.ts';
import { THIS_MONTH } from './usage-months.ts';

interface DueRow {
  event: BudgetEventName;
  teamId: string;
  month: string;
  limitUsd: number;
  spentUsd: number;
  reservedUsd: number;
  now: Date;
}

const TELL = {
  name: 'budget_events_tell',
  text: `with budgets as materialized (${budgetsOf('$1')}),
    crossed as (
      insert into budget_events (team_id, month, event, limit_usd)
      select b.team_id, ${THIS_MONTH}, e.event, b.limit_usd
      from budgets b cross join unnest($2::text[], $3::float8[]) e(event, share)
      where b.limit_usd > 0 and b.spent >= b.limit_usd * e.share - ${DUST_USD}
      on conflict do nothing returning team_id, month, event
    )
    select t.event, t.team_id as "teamId", to_char(t.month, 'YYYY-MM') as month,
      b.limit_usd as "limitUsd", b.spent as "spentUsd", b.reserved as "reservedUsd", now() as now
    from crossed t join budgets b on b.team_id = t.team_id order by t.team_id, t.event desc`,
};

/** After something was spent, or a limit was changed. */
export async function tellSpent(
  tx: Queryable,
  teamIds: readonly string[],
  signals: PendingSignals,
): Promise<void> {
  const shares = BUDGET_EVENTS.map((event) => BUDGET_SHARES[event]);
  const { rows } = await tx.query<DueRow>(TELL, [teamIds, BUDGET_EVENTS, shares]);
  for (const { event, teamId, now, ...due } of rows) {
    const data = {
      teamId,
      month: due.month,
      limitUsd: due.limitUsd,
      spentUsd: roundUsd(due.spentUsd),
      reservedUsd: roundUsd(due.reservedUsd),
    };
    if ((await emitTeamEvent(tx, { teamId, event, timestamp: now, data })) > 0) {
      signals.add('webhooks');
    }
  }
}
