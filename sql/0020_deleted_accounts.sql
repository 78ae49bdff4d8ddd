-- A deleted account keeps its row, without anything that says who it was: what was used stays counted.

alter table users add column deleted_at timestamptz;
