-- What open jobs wait for, so that people see why nothing happens. Unlogged, like the text of running
-- jobs: after a crash of the database the next wait is written anew.
create unlogged table job_waits (
  job_id text collate "C" primary key,
  reason text not null,
  -- The wait is over by then at the latest: a row that was left behind says nothing any more.
  until_at timestamptz not null,
  detail text -- JSON text: string
);
