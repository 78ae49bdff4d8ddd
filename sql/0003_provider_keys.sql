-- Users' own provider keys, sealed, and what calls with real vendors need to remember of a job.

create table provider_keys (
  user_id text collate "C" not null references users (id),
  provider text not null check (provider in ('anthropic', 'openai', 'google', 'openrouter')),
  -- The sealed key, and the id of the master key that its data key is wrapped with.
  sealed text not null,
  master_key_id text not null,
  masked text not null,
  -- False until the vendor has accepted the key.
  valid boolean not null,
  created_at timestamptz not null default now(),
  primary key (user_id, provider)
);
create index provider_keys_by_master_key on provider_keys (master_key_id);

alter table jobs
  -- A key that came with the request: sealed while the job is open, erased when it ends.
  add column sealed_key text,
  -- Model calls of attempts that were put off, so that a job does not start counting anew.
  add column calls smallint not null default 0,
  add column usage_estimated boolean not null default false,
  -- What prompt caching saved.
  add column saved_usd double precision;
create index jobs_sealed_key on jobs (id) where sealed_key is not null;
