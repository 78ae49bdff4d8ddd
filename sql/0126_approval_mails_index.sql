-- millrace: outside a transaction
-- People who want mail about questions of runs are asked for every half minute; usually they are few.

create index concurrently users_with_approval_mails on users (id) where approval_mails;
