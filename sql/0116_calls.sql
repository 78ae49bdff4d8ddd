-- Calls of models that clients make in the vendors' own protocols, and what runs, streams and teams let calls cost.

-- A call is a job that the process which took it runs itself: it never waits in the queue, and no other process takes it
-- over. Without a stream token it belongs to no run.
alter table jobs alter column run_id drop not null;
alter table archived_jobs alter column run_id drop not null;
alter table jobs
  add column kind text not null default 'job' check (kind in ('job', 'call')),
  -- Of tokens_output: what went into thinking, where the vendor says so.
  add column tokens_reasoning integer not null default 0;
alter table archived_jobs
  add column kind text not null default 'job' check (kind in ('job', 'call')),
  add column tokens_reasoning integer not null default 0;

-- The most that a run, or one stream of it, may cost. What jobs and calls of it may cost at most is reserved here while
-- they are open. Changed under the lock of the team's queue.
create table run_caps (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  -- Empty: of the whole run.
  stream_id text not null default '',
  limit_usd double precision not null,
  spent_usd double precision not null default 0,
  reserved_usd double precision not null default 0,
  created_at timestamptz not null default now(),
  primary key (run_id, team_id, stream_id)
) with (fillfactor = 70);

-- Credentials with which a stream's agent calls models, and nothing else. Only the hash of the secret is kept.
create table stream_tokens (
  id text collate "C" primary key,
  token_hash bytea not null unique,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C",
  run_id text collate "C" not null,
  stream_id text not null,
  attempt integer not null,
  -- Goes up with each process that takes the run over: tokens of an older one are dead.
  fence integer not null,
  models text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index stream_tokens_by_stream on stream_tokens (run_id, team_id, stream_id);
create index stream_tokens_expired on stream_tokens (expires_at);

-- What vendors keep of a team's calls under a name that later calls can use. Keys may be shared by teams, so who made
-- what is remembered here.
create table stored_answers (
  object_id text collate "C" not null,
  team_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (object_id, team_id)
);
create index stored_answers_old on stored_answers (created_at);

-- What teams.settings says about calls, for the transaction that accepts them.
alter table team_queue
  -- Patterns of model ids, with `*`; null: all.
  add column allowed_models text[],
  add column max_call_cost_usd double precision;
