-- Who changed access, money or settings: written with the change itself, and never changed afterwards.

create table audit_events (
  id text collate "C" primary key,
  at timestamptz not null default now(),
  -- The team it is about; null for what is about an account or the server.
  team_id text collate "C",
  -- Null: the operator on the machine of the server, or the server itself.
  user_id text collate "C",
  credential text not null check (credential in ('session', 'device', 'key', 'link', 'operator', 'system')),
  -- The session or the key that was used.
  credential_id text collate "C",
  address text,
  action text not null,
  -- What was changed, by its id.
  target text,
  -- Never secrets.
  before jsonb,
  after jsonb
);
create index audit_events_by_team on audit_events (team_id, id);
create index audit_events_by_user on audit_events (user_id, id);
create index audit_events_by_time on audit_events (at);

create function audit_events_stay() returns trigger language plpgsql as $$
begin
  -- Only what is past its retention goes, and only by the job that says so.
  if tg_op = 'DELETE' and current_setting('millrace.audit_retention', true) = 'on' then
    return old;
  end if;
  -- Only the details change, and only when an account is erased: an id replaces what says who the person was.
  if tg_op = 'UPDATE' and current_setting('millrace.audit_erasure', true) = 'on'
    and (to_jsonb(new) - 'before' - 'after') = (to_jsonb(old) - 'before' - 'after') then
    return new;
  end if;
  raise exception 'audit events are never changed';
end $$;
create trigger audit_events_stay before update or delete on audit_events
  for each row execute function audit_events_stay();
create trigger audit_events_stay_all before truncate on audit_events
  for each statement execute function audit_events_stay();
