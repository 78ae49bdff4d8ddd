-- Which model completed a stream that a client recorded, or was asked last. Null: nobody said.
alter table run_streams add column model text;
