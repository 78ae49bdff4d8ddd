// Adds everything up again from the ledger: jobs, runs and months must say the same.
import { spanOf } from '../../src/domain/usage/usage-month.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { listUsageCells } from '../../src/store/usage/usage-cells.ts';
import { rollUpUsage } from '../../src/store/usage/usage-rollup.ts';

const SUMS = `coalesce(sum(l.tokens_input), 0) as input, coalesce(sum(l.tokens_output), 0) as output,
  coalesce(sum(l.cost_usd), 0) as cost, coalesce(sum(l.unpriced_calls), 0) as unpriced`;

/** Wherever they are. */
export const ALL_JOBS = '(select * from jobs union all select * from archived_jobs)';

/** Each query lists what must not be. */
export const LEDGER_CHECKS: Record<string, string> = {
  'a job that does not show the sum of its attempts': `
    select j.id, j.attempt, j.tokens_input, s.input, j.tokens_output, s.output, j.cost_usd, s.cost
    from ${ALL_JOBS} j join (
      select j.id, ${SUMS}, coalesce(sum(l.tokens_cached), 0) as cached,
        coalesce(bool_or(l.estimated), false) as estimated
      from ${ALL_JOBS} j left join usage_ledger l on l.job_id = j.id group by j.id) s on s.id = j.id
    where j.tokens_input <> s.input or j.tokens_output <> s.output or j.tokens_cached <> s.cached
      or abs(coalesce(j.cost_usd, 0) - s.cost) > 1e-9 or j.unpriced_calls <> s.unpriced
      or j.usage_estimated <> s.estimated`,
  'a run that does not show the sum of its jobs': `
    select r.id, r.tokens_input, s.input, r.tokens_output, s.output, r.cost_usd, s.cost
    from runs r join (
      select j.run_id, ${SUMS} from ${ALL_JOBS} j left join usage_ledger l on l.job_id = j.id
      group by j.run_id) s on s.run_id = r.id
    where r.tokens_input <> s.input or r.tokens_output <> s.output
      or abs(r.cost_usd - s.cost) > 1e-9 or r.unpriced_calls <> s.unpriced`,
  'a budget that has other than what open jobs have set aside': `
    select coalesce(m.team_id, j.team_id) as team_id, m.month, m.reserved_usd, j.reserved
    from (select * from usage_months where reserved_usd > 1e-9) m
    full join (select team_id, date_trunc('month', queued_at at time zone 'utc')::date as month,
                 sum(reserved_usd) as reserved from ${ALL_JOBS} o where reserved_usd > 0 group by 1, 2) j
      on j.team_id = m.team_id and j.month = m.month
    where abs(coalesce(m.reserved_usd, 0) - coalesce(j.reserved, 0)) > 1e-6`,
  'something set aside for a job whose cost is known': `
    select id, reserved_usd from ${ALL_JOBS} j where reserved_usd is not null and settled_at is not null`,
  'a month that does not show the sum of the ledger': `
    select m.team_id, m.month, m.input, s.input as ledger_input, m.output, s.output as ledger_output
    from (select team_id, month, tokens_input as input, tokens_output as output, cost_usd as cost
          from usage_months) m
    full join (select l.team_id, date_trunc('month', l.recorded_at at time zone 'utc')::date as month,
                 ${SUMS}, coalesce(sum(l.cost_usd) filter (where l.provider <> 'simulator'), 0) as spent
               from usage_ledger l group by 1, 2) s
      on s.team_id = m.team_id and s.month = m.month
    where coalesce(m.input, 0) <> coalesce(s.input, 0)
      or coalesce(m.output, 0) <> coalesce(s.output, 0)
      or abs(coalesce(m.cost, 0) - coalesce(s.spent, 0)) > 1e-6`,
};

interface MemberSums {
  jobs: number;
  input: number;
  output: number;
  costUsd: number;
}

/** Of the jobs of each team and member that called a model. */
async function jobSums(db: Db): Promise<Map<string, MemberSums>> {
  const { rows } = await db.query<MemberSums & { owner: string }>(
    `select team_id || ' ' || user_id as owner, count(*)::int as jobs,
       sum(tokens_input)::bigint as input, sum(tokens_output)::bigint as output,
       sum(coalesce(cost_usd, 0)) as "costUsd"
     from ${ALL_JOBS} j where exists (select 1 from usage_ledger l where l.job_id = j.id) group by 1`,
  );
  return new Map(rows.map(({ owner, ...sums }) => [owner, sums]));
}

/** The same as usage shows it, month by month. */
async function shownSums(db: Db): Promise<Map<string, MemberSums>> {
  const shown = new Map<string, MemberSums>();
  const months = await db.query<{ team_id: string; month: string }>(
    `select team_id, to_char(month, 'YYYY-MM') as month from usage_months`,
  );
  for (const { team_id: teamId, month } of months.rows) {
    for (const cell of await listUsageCells(db, teamId, spanOf(month))) {
      const owner = `${teamId} ${cell.userId}`;
      const sums = shown.get(owner) ?? { jobs: 0, input: 0, output: 0, costUsd: 0 };
      shown.set(owner, {
        jobs: sums.jobs + cell.jobs,
        input: sums.input + cell.input,
        output: sums.output + cell.output,
        costUsd: sums.costUsd + cell.costUsd,
      });
    }
  }
  return shown;
}

/** What usage shows of a member, before and after another roll-up, must be what the jobs add up to. */
export async function findUsageGaps(db: Db): Promise<string[]> {
  const gaps: string[] = [];
  const jobs = await jobSums(db);
  for (const when of ['before', 'after']) {
    if (when === 'after') await rollUpUsage(db, 0);
    const shown = await shownSums(db);
    for (const owner of new Set([...jobs.keys(), ...shown.keys()])) {
      const [told, real] = [shown.get(owner), jobs.get(owner)];
      const isSame =
        told?.jobs === real?.jobs &&
        told?.input === real?.input &&
        told?.output === real?.output &&
        Math.abs((told?.costUsd ?? 0) - (real?.costUsd ?? 0)) < 1e-6;
      if (!isSame) {
        gaps.push(`usage ${when} the roll-up, ${owner}: ${JSON.stringify({ told, real })}`);
      }
    }
  }
  return gaps;
}

export async function findLedgerGaps(db: Db): Promise<string[]> {
  const gaps = await findUsageGaps(db);
  for (const [what, text] of Object.entries(LEDGER_CHECKS)) {
    const { rows } = await db.query(text);
    if (rows.length > 0) gaps.push(`${what}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return gaps;
}
