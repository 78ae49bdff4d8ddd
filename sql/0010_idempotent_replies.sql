-- The reply to the first request of an Idempotency-Key, for what cannot be read again as it was: a
-- provider key may have been replaced since. Never a secret.
alter table idempotency_keys add column reply text;
