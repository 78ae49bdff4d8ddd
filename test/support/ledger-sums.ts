// Adds everything up again from the ledger: jobs, runs and months must say the same.
import type { Db } from '../../src/store/postgres/db.ts';

const SUMS = `coalesce(sum(l.tokens_input), 0) as input, coalesce(sum(l.tokens_output), 0) as output,
  coalesce(sum(l.cost_usd), 0) as cost, coalesce(sum(l.unpriced_calls), 0) as unpriced`;

/** Each query lists what must not be. */
export const LEDGER_CHECKS: Record<string, string> = {
  'a job that does not show the sum of its attempts': `
    select j.id, j.attempt, j.tokens_input, s.input, j.tokens_output, s.output, j.cost_usd, s.cost
    from jobs j join (
      select j.id, ${SUMS}, coalesce(sum(l.tokens_cached), 0) as cached,
        coalesce(bool_or(l.estimated), false) as estimated
      from jobs j left join usage_ledger l on l.job_id = j.id group by j.id) s on s.id = j.id
    where j.tokens_input <> s.input or j.tokens_output <> s.output or j.tokens_cached <> s.cached
      or abs(coalesce(j.cost_usd, 0) - s.cost) > 1e-9 or j.unpriced_calls <> s.unpriced
      or j.usage_estimated <> s.estimated`,
  'a run that does not show the sum of its jobs': `
    select r.id, r.tokens_input, s.input, r.tokens_output, s.output, r.cost_usd, s.cost
    from runs r join (
      select j.run_id, ${SUMS} from jobs j left join usage_ledger l on l.job_id = j.id
      group by j.run_id) s on s.run_id = r.id
    where r.tokens_input <> s.input or r.tokens_output <> s.output
      or abs(r.cost_usd - s.cost) > 1e-9 or r.unpriced_calls <> s.unpriced`,
  'a month that does not show the sum of the ledger': `
    select m.team_id, m.input, s.input as ledger_input, m.output, s.output as ledger_output
    from (select team_id, sum(tokens_input) as input, sum(tokens_output) as output,
            sum(cost_usd) as cost from usage_months group by team_id) m
    full join (select l.team_id, ${SUMS} from usage_ledger l group by l.team_id) s
      on s.team_id = m.team_id
    where coalesce(m.input, 0) <> coalesce(s.input, 0)
      or coalesce(m.output, 0) <> coalesce(s.output, 0)
      or abs(coalesce(m.cost, 0) - coalesce(s.cost, 0)) > 1e-6`,
};

export async function findLedgerGaps(db: Db): Promise<string[]> {
  const gaps: string[] = [];
  for (const [what, text] of Object.entries(LEDGER_CHECKS)) {
    const { rows } = await db.query(text);
    if (rows.length > 0) gaps.push(`${what}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return gaps;
}
