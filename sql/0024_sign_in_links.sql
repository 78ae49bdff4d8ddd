-- Links that sign somebody in, made at the machine of the server.

alter table account_links drop constraint account_links_kind_check;
alter table account_links add constraint account_links_kind_check
  check (kind in ('setup', 'invitation', 'reset', 'sign-in'));
alter table account_links add constraint account_links_signs_in
  check (kind <> 'sign-in' or user_id is not null);
