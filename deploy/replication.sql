-- Publishes the shops' records for logical replication: to another PostgreSQL, ClickHouse, BigQuery or a lake. Needs
-- wal_level = logical on this server, and a role that owns the tables. Run it again after an update that brings a table.
-- psql -f replication.sql "$DATABASE_URL"
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_publication WHERE pubname = 'order_sync') THEN
    CREATE PUBLICATION order_sync;
  END IF;
END $$;

-- Not the summaries (core.daily_sums and others): they can be computed from these, and every refresh rewrites them.
ALTER PUBLICATION order_sync SET TABLE
  core.shops,
  core.order_statuses,
  core.payment_statuses,
  core.order_form_fields,
  core.user_groups,
  core.users,
  core.user_persons,
  core.orders,
  core.order_persons,
  core.order_lines,
  core.order_history;
