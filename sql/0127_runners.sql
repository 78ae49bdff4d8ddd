-- Machines that take run requests, the projects they can work on, and the requests.

create table runners (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  -- Who started it.
  user_id text collate "C" not null references users (id),
  name text not null,
  -- What it says of itself.
  facts jsonb not null,
  labels text[] not null,
  -- Counts the processes that have been this runner: only the latest one is.
  session integer not null default 1,
  draining boolean not null default false,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);
create index runners_by_team on runners (team_id, id);

-- Stays when its runners are away: what was asked for waits for them.
create table projects (
  team_id text collate "C" not null references teams (id),
  name text collate "C" not null,
  -- Requests at once, over all runners; null: no limit.
  max_running integer check (max_running > 0),
  created_at timestamptz not null default now(),
  primary key (team_id, name)
);

create table runner_projects (
  runner_id text collate "C" not null references runners (id) on delete cascade,
  team_id text collate "C" not null,
  name text collate "C" not null,
  in_place boolean not null,
  facts jsonb not null,
  primary key (runner_id, name),
  foreign key (team_id, name) references projects (team_id, name) on delete cascade
);
create index runner_projects_by_project on runner_projects (team_id, name);

create table run_requests (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  -- Whom it acts and pays as.
  user_id text collate "C" not null references users (id),
  api_key_id text collate "C",
  project text collate "C" not null,
  origin_kind text not null check (origin_kind in ('person', 'schedule', 'trigger')),
  origin_id text collate "C",
  work jsonb not null,
  labels text[] not null,
  in_place boolean not null,
  -- Who must have write access to the repository, as the forge says.
  writer jsonb,
  priority integer not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'completed', 'failed', 'cancelled')),
  -- The last one that took it.
  runner_id text collate "C",
  runner_name text,
  -- Set: no other runner may take it. Its files are there alone.
  only_runner text collate "C",
  -- Counts how often it was taken. What comes with an older number is refused.
  fence integer not null default 0,
  -- Of the token that acts for it; another one each time it is taken.
  token_hash bytea unique,
  lease_until timestamptz,
  -- How often a runner was lost in the middle of it.
  losses integer not null default 0,
  cancel_at timestamptz,
  run_ids text[] not null default '{}',
  base text,
  outcome jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  check ((status = 'running') = (lease_until is not null))
);
create index run_requests_by_team on run_requests (team_id, id);
create index run_requests_open on run_requests (team_id, project, status)
  where status in ('queued', 'running');
create index run_requests_by_runner on run_requests (runner_id) where status = 'running';
create index run_requests_leases on run_requests (lease_until) where status = 'running';
create index run_requests_by_origin on run_requests (origin_kind, origin_id, id)
  where origin_id is not null;

-- What models have answered to the runs of a request that is not complete: a runner that takes it over asks nothing twice.
create table run_request_answers (
  request_id text collate "C" not null references run_requests (id) on delete cascade,
  key text collate "C" not null,
  answer text not null,
  created_at timestamptz not null default now(),
  primary key (request_id, key)
);

alter table audit_events drop constraint audit_events_credential_check;
alter table audit_events add constraint audit_events_credential_check
  check (credential in ('session', 'device', 'key', 'request', 'link', 'operator', 'system')) not valid;
