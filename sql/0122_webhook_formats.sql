-- How an event is written for its receiver: as JSON of ours, or as a message of a chat.

alter table webhooks add column format text not null default 'millrace';
alter table webhooks add constraint webhooks_format
  check (format in ('millrace', 'slack', 'teams')) not valid;
