-- millrace: outside a transaction
-- And which were to do something with it.
create index concurrently run_requests_about on run_requests ((work -> 'run' ->> 'id'))
  where work -> 'run' ->> 'id' is not null;
