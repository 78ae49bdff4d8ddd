-- Changes that a person looks through hunk by hunk. Who may answer, until when, and that one answer counts, is in the row
-- of the approval.

create table reviews (
  approval_id text collate "C" primary key references approvals (id) on delete cascade,
  -- That will come; the review is open when they have.
  files integer not null,
  round integer not null,
  -- Whether the changes are in the project already, and what is rejected goes back.
  is_applied boolean not null,
  -- The approval of the round before.
  previous text collate "C",
  failed jsonb,
  -- Of earlier rounds.
  comments jsonb not null,
  command text not null,
  -- Of all texts.
  bytes bigint not null default 0,
  -- Of who answered the approval, as it was at that moment.
  verdict text check (verdict in ('apply', 'changes', 'reject')),
  decisions jsonb,
  said jsonb,
  -- A command carries it out.
  taken_at timestamptz,
  outcome jsonb
);

create table review_files (
  approval_id text collate "C" not null references reviews (approval_id) on delete cascade,
  position integer not null,
  path text not null,
  -- All that the list of files shows.
  summary jsonb not null,
  before text,
  after text,
  -- Why there is no text.
  not_shown text check (not_shown in ('binary', 'large')),
  primary key (approval_id, position),
  unique (approval_id, path)
);

-- What each reader has said so far.
create table review_drafts (
  approval_id text collate "C" not null references reviews (approval_id) on delete cascade,
  user_id text collate "C" not null references users (id),
  version integer not null,
  decisions jsonb not null,
  comments jsonb not null,
  viewed jsonb not null,
  primary key (approval_id, user_id)
);
