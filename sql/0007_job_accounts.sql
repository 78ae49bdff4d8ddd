-- What a run has taken of its quota and whether it ever worked, and an index by which a claim finds
-- the open jobs of a user.

alter table runs
  -- Whether one of its jobs was ever taken by a worker: such a run keeps the quota it took. Rows of
  -- before count as worked, which is the state of nearly all of them and never gives too much back.
  add column worked boolean not null default true;
alter table runs alter column worked set default false;

-- The jobs of a user that run, and those that wait in the order in which they are taken.
create index jobs_open_by_user on jobs (user_id, status, priority desc, id)
  where status in ('pending', 'running') and not parked;

alter table jobs
  -- The text of a job that failed or was cancelled, as far as it had come. JSON text: string
  add column partial_output text,
  -- Tokens and cost_usd are the sums of all attempts in the ledger; these calls had no known price.
  add column unpriced_calls integer not null default 0;
alter table usage_ledger add column unpriced_calls integer not null default 0;
alter table runs add column unpriced_calls integer not null default 0;
alter table run_streams add column unpriced_calls integer not null default 0;
