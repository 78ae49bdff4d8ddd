-- Why the answer of a completed job ended: 'stop' when the model was done, 'length' when no more
-- tokens were allowed. Null until then, and in jobs that ended before this was recorded. No check
-- constraint: adding one would read the whole table with everybody else shut out.
alter table jobs add column stop_reason text;
