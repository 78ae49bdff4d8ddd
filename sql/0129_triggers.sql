-- What asks for a run when something happens elsewhere, and the log of what came.

create table triggers (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  -- Whom its runs act and pay as.
  user_id text collate "C" not null references users (id),
  api_key_id text collate "C",
  name text not null,
  kind text not null check (kind in ('url', 'github', 'gitlab')),
  -- Events of other repositories start nothing. Null for a URL.
  repository text,
  events text[] not null,
  -- JSON text: which of the events start something.
  filters text not null,
  -- JSON text: what is asked for, with places for what the event says.
  work text not null,
  overlap text not null check (overlap in ('skip', 'queue', 'cancel_older')),
  -- In a month; null: no limit of its own.
  budget_usd double precision check (budget_usd > 0),
  -- In a row; null: never paused for failures.
  pause_after_failures integer check (pause_after_failures > 0),
  status text not null check (status in ('active', 'paused')),
  paused_reason text,
  paused_at timestamptz,
  -- Failures from before do not count.
  active_since timestamptz not null default now(),
  -- Calls that did not show the secret: counted, and not kept.
  refused integer not null default 0,
  refused_at timestamptz,
  created_at timestamptz not null default now(),
  check ((kind = 'url') = (repository is null)),
  check ((status = 'paused') = (paused_reason is not null))
);
create index triggers_by_team on triggers (team_id, id);

-- Of a URL the hash is enough. A signature needs the secret itself, sealed.
create table trigger_secrets (
  id text collate "C" primary key,
  trigger_id text collate "C" not null references triggers (id) on delete cascade,
  token_hash bytea,
  sealed_secret text,
  -- Null: the present one. The others are good until then.
  until timestamptz,
  created_at timestamptz not null default now(),
  check ((token_hash is null) <> (sealed_secret is null))
);
create index trigger_secrets_by_trigger on trigger_secrets (trigger_id);

create table trigger_deliveries (
  id text collate "C" primary key,
  trigger_id text collate "C" not null references triggers (id) on delete cascade,
  -- Of the body: what comes again is known. Null for a replay, and for a call without a body.
  digest bytea,
  -- The delivery that this one repeats because a person asked for it.
  replay_of text collate "C",
  event text not null,
  actor text,
  result text not null check (result in ('started', 'skipped', 'paused', 'ignored')),
  reason text,
  request_id text collate "C",
  cancelled integer not null default 0,
  -- JSON text: what was read of the event. Null where nothing could be.
  facts text,
  created_at timestamptz not null default now(),
  check ((result = 'started') = (request_id is not null))
);
create index trigger_deliveries_by_trigger on trigger_deliveries (trigger_id, id);
create unique index trigger_deliveries_once on trigger_deliveries (trigger_id, digest);
