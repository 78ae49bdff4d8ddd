-- The page of a run asks which requests have made it, or were to do something with it.
create index run_requests_made on run_requests using gin (run_ids);
create index run_requests_about on run_requests ((work -> 'run' ->> 'id'))
  where work -> 'run' ->> 'id' is not null;
