-- Entries of the audit log stay, but for what says who a person was whose account is deleted: an id takes its place.

create or replace function audit_events_stay() returns trigger language plpgsql as $$
begin
  -- Only what is past its retention goes, and only by the job that says so.
  if tg_op = 'DELETE' and current_setting('millrace.audit_retention', true) = 'on' then
    return old;
  end if;
  -- Only the details change, and only when an account is erased.
  if tg_op = 'UPDATE' and current_setting('millrace.audit_erasure', true) = 'on'
    and (to_jsonb(new) - 'before' - 'after') = (to_jsonb(old) - 'before' - 'after') then
    return new;
  end if;
  raise exception 'audit events are never changed';
end $$;
