-- To which trace of the caller or the server a job or an execution belongs, as a W3C traceparent. Only while traces
-- are collected.
alter table jobs add column trace text;
alter table ended_jobs add column trace text;
alter table executions add column trace text;
