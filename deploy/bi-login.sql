-- The login `bi` for BI tools: it reads the views of the schema bi and nothing else. Safe to run again.
-- psql -v password=... -v timezone=Europe/Berlin -f bi-login.sql
\set ON_ERROR_STOP on
SELECT 'CREATE ROLE bi LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'bi') \gexec
ALTER ROLE bi LOGIN PASSWORD :'password' CONNECTION LIMIT 20;
GRANT bi_reader TO bi;
-- A dashboard that asks too much ends, and does not hold up the sync.
ALTER ROLE bi SET statement_timeout = '60s';
ALTER ROLE bi SET default_transaction_read_only = on;
-- Only for how instants are shown: the days of the views are the shop's own.
ALTER ROLE bi SET timezone = :'timezone';
