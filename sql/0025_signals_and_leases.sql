-- For databases that are reached without sessions of one's own, such as through a pooler that hands out
-- sessions by the transaction: signals that are asked for instead of being told, and nodes without a lock.

-- Signals of the last minute. A lost one only delays, so a crash may empty the table.
create unlogged table signals (
  id text collate "C" primary key,
  at timestamptz not null default now(),
  -- Processes of one server tell each other directly.
  origin text collate "C" not null,
  name text not null,
  ids text[] not null
);
create index signals_by_time on signals (at);

-- Whether a node also holds its advisory lock. The beat of one that does not is its lease, and is all there is.
alter table nodes add column holds_lock boolean not null default true;
