-- The login `worker` for workers and commands can read and write rows, and nothing else. Run it as the owner of the tables,
-- after `order-sync migrate`. Safe to run again.
-- PASSWORD_FILE=... psql -f worker-login.sql    (an argument would show in the list of processes)
\set ON_ERROR_STOP on
-- Run again, it has nothing to say of what is granted already.
SET client_min_messages = warning;
\set password `cat "$PASSWORD_FILE"`
SELECT :'password' = '' AS is_missing \gset
\if :is_missing
  DO 'BEGIN RAISE EXCEPTION ''PASSWORD_FILE names no file with a password''; END';
\endif
SELECT 'CREATE ROLE order_sync_worker' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'order_sync_worker') \gexec
SELECT ops.grant_to_roles();
SELECT 'CREATE ROLE worker LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'worker') \gexec
ALTER ROLE worker LOGIN PASSWORD :'password';
GRANT order_sync_worker TO worker;
-- For `order-sync sql`, which runs queries as this role.
SELECT 'GRANT bi_reader TO worker' WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi_reader') \gexec
