-- Where events are sent, the events themselves, and what became of sending them.

create table webhooks (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null references users (id),
  api_key_id text collate "C",
  -- Set for an address that was given for one execution alone: nothing else is sent to it.
  execution_id text collate "C",
  url text not null,
  -- Names of events, or '*' alone.
  events text[] not null,
  description text,
  status text not null check (status in ('active', 'paused', 'disabled')),
  disabled_reason text,
  sealed_secret text not null,
  -- Since when every try has failed; null after a success.
  failing_since timestamptz,
  created_at timestamptz not null default now()
);
-- Two of them: a team may have had thousands of executions with an address of their own.
create index webhooks_by_team on webhooks (team_id, id) where execution_id is null;
create index webhooks_by_execution on webhooks (execution_id) where execution_id is not null;

-- Secrets that were replaced. Each signs, too, until its time.
create table webhook_old_secrets (
  webhook_id text collate "C" not null,
  sealed_secret text not null,
  until timestamptz not null,
  primary key (webhook_id, sealed_secret)
);

-- The outbox: written in the transaction that changes what the event reports.
create table webhook_events (
  -- Sent as webhook-id with every try to every address.
  id text collate "C" primary key,
  team_id text collate "C" not null,
  -- Null for an event about the team as a whole, such as one about its budget.
  user_id text collate "C",
  -- Both null for an event that no execution made.
  execution_id text collate "C",
  sequence integer,
  event text not null,
  -- Exactly what is sent and signed.
  body text not null,
  created_at timestamptz not null default now(),
  unique (execution_id, sequence)
);
create index webhook_events_by_age on webhook_events (created_at);

-- No foreign keys, as with jobs: an event must not fail because its address is just being deleted.
create table webhook_deliveries (
  id text collate "C" primary key,
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Failed tries since the delivery was asked for (first, or again).
  tries smallint not null default 0,
  -- Goes up each time a node takes it, and fences the node that lost it.
  claim integer not null default 0,
  -- Being sent. Until due_at no other node takes it; after that its node counts as dead.
  leased boolean not null default false,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  ended_at timestamptz
) with (fillfactor = 70);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, id)
  where status = 'pending';
-- What is due, without looking at each webhook that has something waiting.
create index webhook_deliveries_by_due on webhook_deliveries (due_at) where status = 'pending';
create index webhook_deliveries_leased on webhook_deliveries (webhook_id, due_at) where leased;
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);

create table webhook_attempts (
  delivery_id text collate "C" not null,
  claim integer not null,
  at timestamptz not null,
  -- The HTTP status; null when there was no answer.
  status smallint,
  duration_ms integer not null,
  -- The beginning of the answer.
  response_body text,
  error text,
  primary key (delivery_id, claim)
);
