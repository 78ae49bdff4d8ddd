-- Mail about questions of runs, for people who want it.

alter table users add column approval_mails boolean not null default false;

-- What each person was mailed last, in each of their teams.
create table approval_mails (
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  -- Null: nothing yet that this person may answer.
  sent_at timestamptz,
  -- Questions from before were mailed, answered, or not theirs to answer.
  asked_until timestamptz not null,
  primary key (team_id, user_id),
  foreign key (team_id, user_id) references team_members (team_id, user_id) on delete cascade
);
