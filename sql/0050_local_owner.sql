-- allowed: change many rows: one at the most
-- The account that commands act as whose caller owns the data folder. There is one at the most.

alter table users add column is_local_owner boolean not null default false;

-- The person who set the server up; else the account that runs without a sign-in have used so far.
update users set is_local_owner = true where id = (
  select id from users
  where deleted_at is null
    and ((is_admin and password_hash is not null) or email = 'local@example.com')
  order by (is_admin and password_hash is not null) desc, id limit 1);
