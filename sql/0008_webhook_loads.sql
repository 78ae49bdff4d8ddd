-- What is due, without looking at each webhook that has something waiting.
create index webhook_deliveries_by_due on webhook_deliveries (due_at) where status = 'pending';

-- Secrets before the last old one of a webhook that was changed several times in a day. Each of
-- them signs until its own time.
create table webhook_older_secrets (
  webhook_id text collate "C" not null,
  sealed_secret text not null,
  until timestamptz not null,
  primary key (webhook_id, sealed_secret)
);
