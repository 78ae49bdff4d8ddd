-- allowed: change many rows: none but those that the lower case of this database kept apart
-- One form of an email address, whatever the locale of the database: letters of ASCII alone have no case.

-- Older accounts that share their address with an earlier one are found as they are written, letter by letter.
alter table users add column email_taken boolean not null default false;
update users u set email_taken = true
  where exists (select 1 from users o
    where lower(o.email collate "C") = lower(u.email collate "C") and o.id < u.id);

-- Since when it is certain that the mailbox is the person's own. Null: nobody has shown it.
alter table users add column email_verified_at timestamptz;
-- A link that went to the mailbox alone shows that it is theirs.
alter table account_links add column mailed boolean not null default false;
