-- What runs ask a person before they act. The one row of a question is also its answer: it is resolved once.

create table approvals (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  -- Who makes the run that asks.
  user_id text collate "C" not null references users (id),
  api_key_id text collate "C",
  run_id text collate "C" not null,
  -- Null for a question about the whole run.
  stream_id text,
  kind text not null
    check (kind in ('plan', 'changes', 'push', 'budget', 'scope', 'question')),
  title text not null,
  detail text not null,
  -- 'text' or 'diff': how the detail is shown.
  format text not null check (format in ('text', 'diff')),
  -- Of all that was shown. Who acts compares it with what is about to happen.
  hash text not null,
  -- The least role that may answer.
  role text not null check (role in ('member', 'admin', 'owner')),
  -- Whether a person other than user_id has to answer ('required'), or should ('advised').
  by_other text check (by_other in ('required', 'advised')),
  -- 'denied' without resolved_by: the time was over.
  status text not null default 'open'
    check (status in ('open', 'approved', 'denied', 'withdrawn')),
  resolved_by text collate "C",
  resolved_at timestamptz,
  comment text,
  answer text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index approvals_by_team on approvals (team_id, id);
create index approvals_open on approvals (team_id, id) where status = 'open';
create index approvals_due on approvals (expires_at) where status = 'open';
-- A run that is resumed asks the same again, and finds its question with the answer.
create unique index approvals_by_question
  on approvals (team_id, run_id, kind, (coalesce(stream_id, '')), hash)
  where status in ('open', 'approved');
