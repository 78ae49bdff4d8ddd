// How rows of the ledger are added up, by day, member, key and model.

/**
 * Attempts whose worker was gone. An estimate may yet be replaced by what the worker reports, so they are
 * never rolled up.
 */
export const LATE = `('late', 'lost')`;

/** A call through the model endpoint that belongs to no run. */
export const IS_SINGLE_CALL = 'l.is_single_call';

const firstOf = (where: string) => `not exists (
  select 1 from usage_ledger o where o.job_id = l.job_id
    and (o.recorded_at, o.attempt) < (l.recorded_at, l.attempt)${where})`;

/** For `from usage_ledger l ... group by 1, 2, 3, 4, 5`. A job counts with its first attempt in the ledger. */
export const LEDGER_SUMS = `(l.recorded_at at time zone 'utc')::date as day, l.user_id,
  coalesce(l.api_key_id, '') as api_key_id, l.provider, l.model,
  count(*) filter (where l.attempt = 1 and l.outcome not in ${LATE} or ${firstOf('')}) as jobs,
  sum(l.tokens_input) as tokens_input, sum(l.tokens_output) as tokens_output,
  sum(l.tokens_cached) as tokens_cached, sum(coalesce(l.cost_usd, 0)) as cost_usd,
  count(*) filter (
    where l.unpriced_calls > 0 and ${firstOf(' and o.unpriced_calls > 0')}) as unpriced_jobs,
  sum(l.unpriced_calls) as unpriced_calls`;

export const SUM_COLUMNS = [
  'jobs',
  'tokens_input',
  'tokens_output',
  'tokens_cached',
  'cost_usd',
  'unpriced_jobs',
  'unpriced_calls',
] as const;
