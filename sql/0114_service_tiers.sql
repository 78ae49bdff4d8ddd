-- At which tier of its provider a job asks to be processed, and at which its answer was. Null: nobody said.
alter table jobs add column service_tier text, add column used_service_tier text;
alter table archived_jobs add column service_tier text, add column used_service_tier text;
alter table executions add column service_tier text;
