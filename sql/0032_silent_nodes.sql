-- How long a node may be without a beat before others give it up: each says it for itself, so that all agree.
alter table nodes add column silent_ms integer not null default 8000;
