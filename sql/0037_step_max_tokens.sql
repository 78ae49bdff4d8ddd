-- The length that a step is asked for again with after its answer was cut off; null until then.
alter table execution_steps add column max_tokens integer;
