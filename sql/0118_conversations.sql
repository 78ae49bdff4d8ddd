-- Jobs that are one turn of a conversation with tools. Null in all others.
alter table jobs
  add column conversation text, -- JSON text: messages and tools as submitted
  add column tool_calls text, -- JSON text: array of the calls that the answer asks for
  add column opaque_answer text; -- JSON text: the answer as its provider wrote it, for the next turn
alter table archived_jobs
  add column conversation text,
  add column tool_calls text,
  add column opaque_answer text;
