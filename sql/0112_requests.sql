-- What is remembered of requests.

-- A caller is a user in a team: the same key in another team is another request.
create table idempotency_keys (
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  key text not null,
  body_hash bytea not null,
  resource_id text collate "C" not null,
  -- The reply to the first request, for what cannot be read again as it was: a provider key may have been replaced since.
  -- Never a secret.
  reply text,
  created_at timestamptz not null default now(),
  primary key (team_id, user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Unlogged: after a crash of the database a limit starts afresh.
create unlogged table rate_limits (
  bucket text collate "C" primary key,
  -- Theoretical arrival time of the next request, as in the generic cell rate algorithm.
  arrival_at timestamptz not null
) with (fillfactor = 50);
