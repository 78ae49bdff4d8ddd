// The sums of a team and month: what its quota and its usage are read from. Every job of a team changes
// the same row, so it is changed by the last statement of a transaction, which the commit follows at
// once: whoever waits for the row waits for that commit and for nothing else.
import type { Queryable } from '../postgres/db.ts';
import { rowset } from '../postgres/rowset.ts';

export interface MonthDelta {
  teamId: string;
  /** A day of the month, as `2026-11-01`; without one, the month that is now. */
  month?: string;
  /** Against the quota; less than zero gives some back. */
  runsCounted?: number;
  runsRecorded?: number;
  tokensInput?: number;
  tokensOutput?: number;
  tokensCached?: number;
  costUsd?: number;
}

const DELTAS = rowset<MonthDelta>('v', {
  team_id: ['text', ({ teamId }) => teamId],
  month: ['date', ({ month }) => month],
  runs_counted: ['int', ({ runsCounted }) => runsCounted ?? 0],
  runs_recorded: ['int', ({ runsRecorded }) => runsRecorded ?? 0],
  tokens_input: ['bigint', ({ tokensInput }) => tokensInput ?? 0],
  tokens_output: ['bigint', ({ tokensOutput }) => tokensOutput ?? 0],
  tokens_cached: ['bigint', ({ tokensCached }) => tokensCached ?? 0],
  cost_usd: ['float8', ({ costUsd }) => costUsd ?? 0],
});

/** The month that is now, by the database's clock. */
export const THIS_MONTH = `date_trunc('month', now() at time zone 'utc')::date`;

// In one order, so that two of them cannot wait for each other.
const ADD = {
  name: 'usage_months_add',
  text: `insert into usage_months as m (team_id, month, runs_counted, runs_recorded, tokens_input,
      tokens_output, tokens_cached, cost_usd)
    select team_id, date_trunc('month', coalesce(month, ${THIS_MONTH}))::date, sum(runs_counted),
      sum(runs_recorded), sum(tokens_input), sum(tokens_output), sum(tokens_cached), sum(cost_usd)
    from ${DELTAS.sql} group by 1, 2 order by 1, 2
    on conflict (team_id, month) do update set
      runs_counted = greatest(0, m.runs_counted + excluded.runs_counted),
      runs_recorded = m.runs_recorded + excluded.runs_recorded,
      tokens_input = m.tokens_input + excluded.tokens_input,
      tokens_output = m.tokens_output + excluded.tokens_output,
      tokens_cached = m.tokens_cached + excluded.tokens_cached,
      cost_usd = m.cost_usd + excluded.cost_usd`,
};

export async function addToMonths(tx: Queryable, deltas: readonly MonthDelta[]): Promise<void> {
  if (deltas.length > 0) await tx.query(ADD, DELTAS.values(deltas));
}
