-- The login `bi` for BI tools can read only the views of the schema bi. Safe to run again.
-- PASSWORD_FILE=... psql -v timezone=Europe/Berlin -f bi-login.sql    (an argument would show in the list of processes)
\set ON_ERROR_STOP on
-- Run again, it has nothing to say of what is granted already.
SET client_min_messages = warning;
\set password `cat "$PASSWORD_FILE"`
SELECT :'password' = '' AS is_missing \gset
\if :is_missing
  DO 'BEGIN RAISE EXCEPTION ''PASSWORD_FILE names no file with a password''; END';
\endif
SELECT 'CREATE ROLE bi LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi') \gexec
ALTER ROLE bi LOGIN PASSWORD :'password' CONNECTION LIMIT 20;
GRANT bi_reader TO bi;
-- Ends queries that are too expensive, so that they do not hold up the sync.
ALTER ROLE bi SET statement_timeout = '60s';
ALTER ROLE bi SET default_transaction_read_only = on;
-- Affects only how timestamps are shown: the days in the views are the shop's own.
ALTER ROLE bi SET timezone = :'timezone';
