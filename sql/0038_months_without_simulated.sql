-- Simulated cost is no spend: what months have counted of it is taken out. The ledger keeps it, under its provider.
-- allowed: change many rows: one for each team and month with simulated jobs
update usage_months m set cost_usd = greatest(0, m.cost_usd - s.simulated)
from (
  select team_id, date_trunc('month', recorded_at at time zone 'utc')::date as month, sum(cost_usd) as simulated
  from usage_ledger where provider = 'simulator' and cost_usd > 0 group by 1, 2
) s
where s.team_id = m.team_id and s.month = m.month;
