-- Signals of the last minute, for databases that are reached without sessions of one's own, such as through a pooler that
-- hands out sessions by the transaction: they are read from here instead of being listened for. A lost one only delays,
-- so a crash may empty the table.
create unlogged table signals (
  id text collate "C" primary key,
  at timestamptz not null default now(),
  -- Processes of one server signal each other directly.
  origin text collate "C" not null,
  name text not null,
  ids text[] not null
);
create index signals_by_time on signals (at);
