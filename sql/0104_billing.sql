-- The plans of teams.

-- Of a team that has ever chosen one. The tier in force is teams.tier; this is what follows. Locked before the team.
create table subscriptions (
  team_id text collate "C" primary key references teams (id),
  provider text not null default 'manual' check (provider in ('manual', 'stripe')),
  status text not null default 'active'
    check (status in ('active', 'trialing', 'past_due', 'unpaid', 'incomplete', 'paused', 'canceled')),
  seats integer not null check (seats >= 1),
  -- Where its months begin, while nobody charges for it.
  anchor_at timestamptz not null default now(),
  -- As Stripe says; null while nobody charges for it.
  period_start timestamptz,
  period_end timestamptz,
  cancel_at_period_end boolean not null default false,
  -- What is put in force then, once.
  next_tier text check (next_tier in ('trial', 'pro', 'team', 'enterprise')),
  next_at timestamptz,
  stripe_customer_id text unique,
  stripe_subscription_id text unique,
  -- The page that was opened last: an older one is closed, so that nobody pays twice.
  stripe_checkout_id text,
  -- Numbers of looks at Stripe: what an earlier look saw is not written over what a later one saw.
  sync_ticket bigint not null default 0,
  synced_ticket bigint not null default 0,
  synced_at timestamptz,
  created_at timestamptz not null default now(),
  check ((next_tier is null) = (next_at is null))
);
create index subscriptions_due on subscriptions (next_at) where next_at is not null;
create index subscriptions_synced on subscriptions (synced_at) where stripe_customer_id is not null;

-- Events of Stripe that were dealt with: each is sent at least once.
create table stripe_events (
  id text collate "C" primary key,
  received_at timestamptz not null default now()
);
create index stripe_events_by_time on stripe_events (received_at);
