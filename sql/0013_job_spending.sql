-- How much a model is asked to think, and what an attempt of a job has spent before it ends.

alter table jobs
  -- low, medium or high; null leaves it to the model.
  add column reasoning text,
  -- JSON text: what the calls of the running attempt used that broke off and were made again. Only the
  -- worker knows it otherwise, and a worker can die. It names its attempt: later ones do not count it.
  add column used_so_far text;
alter table executions add column reasoning text;
