-- millrace: outside a transaction
create unique index concurrently if not exists users_email_key on users (lower(email collate "C"))
  where not email_taken;
