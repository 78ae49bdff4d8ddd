// The sums of a team and month: what its quota, its budget and its usage are read from. Every job of a
// team changes the same row, so it is changed by the last statement of a transaction, which the commit
// follows at once: a transaction that waits for the row waits for that commit and for nothing else.
import type { Queryable, Statement } from '../postgres/db.ts';
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
  /** Of simulated models nothing. */
  costUsd?: number;
  /** Of runs that clients recorded. */
  recordedCostUsd?: number;
  /** Reserved for open jobs; less than zero when they are settled. */
  reservedUsd?: number;
}

type Columns = Record<string, [type: string, pick: (delta: MonthDelta) => unknown]>;

const OWNER: Columns = {
  team_id: ['text', ({ teamId }) => teamId],
  month: ['date', ({ month }) => month],
};

const SUMS: Columns = {
  runs_counted: ['int', ({ runsCounted }) => runsCounted ?? 0],
  runs_recorded: ['int', ({ runsRecorded }) => runsRecorded ?? 0],
  tokens_input: ['bigint', ({ tokensInput }) => tokensInput ?? 0],
  tokens_output: ['bigint', ({ tokensOutput }) => tokensOutput ?? 0],
  tokens_cached: ['bigint', ({ tokensCached }) => tokensCached ?? 0],
  cost_usd: ['float8', ({ costUsd }) => costUsd ?? 0],
};

/** Most teams have neither, and do not pay for them. */
const RARE_SUMS: Columns = {
  recorded_cost_usd: ['float8', ({ recordedCostUsd }) => recordedCostUsd ?? 0],
  reserved_usd: ['float8', ({ reservedUsd }) => reservedUsd ?? 0],
};

/** A refund that comes twice, or the last digit of a fraction, must not leave less than nothing. */
const NEVER_NEGATIVE = new Set(['runs_counted', 'recorded_cost_usd', 'reserved_usd']);

/** The month that is now, by the database's clock. */
export const THIS_MONTH = `date_trunc('month', now() at time zone 'utc')::date`;

// In one order, so that two of them cannot wait for each other.
function adding(name: string, sums: Columns) {
  const deltas = rowset<MonthDelta>('v', { ...OWNER, ...sums });
  const names = Object.keys(sums);
  const added = names.map((column) => {
    const sum = `m.${column} + excluded.${column}`;
    return `${column} = ${NEVER_NEGATIVE.has(column) ? `greatest(0, ${sum})` : sum}`;
  });
  const statement: Statement = {
    name,
    text: `insert into usage_months as m (team_id, month, ${names.join(', ')})
      select team_id, date_trunc('month', coalesce(month, ${THIS_MONTH}))::date,
        ${names.map((column) => `sum(${column})`).join(', ')}
      from ${deltas.sql} group by 1, 2 order by 1, 2
      on conflict (team_id, month) do update set ${added.join(', ')}`,
  };
  return { statement, values: deltas.values };
}

const ADD = adding('usage_months_add', SUMS);
const ADD_WITH_MONEY = adding('usage_months_add_money', { ...SUMS, ...RARE_SUMS });

/** Teams with reservations that were settled or released. */
export function teamsSettled(deltas: readonly MonthDelta[]): string[] {
  const settled = deltas.filter(({ reservedUsd }) => reservedUsd !== undefined && reservedUsd <= 0);
  return [...new Set(settled.map(({ teamId }) => teamId))];
}

const isRare = ({ recordedCostUsd, reservedUsd }: MonthDelta) =>
  recordedCostUsd !== undefined || reservedUsd !== undefined;

export async function addToMonths(tx: Queryable, deltas: readonly MonthDelta[]): Promise<void> {
  if (deltas.length === 0) return;
  const { statement, values } = deltas.some(isRare) ? ADD_WITH_MONEY : ADD;
  await tx.query(statement, values(deltas));
}
