-- millrace: outside a transaction
-- The page of a run asks which requests have made it.
create index concurrently run_requests_made on run_requests using gin (run_ids);
