-- Publishes the shops' records for logical replication: to another PostgreSQL, ClickHouse, BigQuery or a lake. Needs
-- wal_level = logical on this server, and a role that owns the tables. Run it again after an update that brings a table.
-- psql -f replication.sql "$DATABASE_URL"
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_publication WHERE pubname = 'order_sync') THEN
    CREATE PUBLICATION order_sync;
  END IF;
END $$;

-- Without persons: names, contacts and what buyers typed stay here. A target that must have them takes them by
--   ALTER PUBLICATION order_sync ADD TABLE core.order_persons, core.user_persons;
ALTER PUBLICATION order_sync SET TABLE
  core.shops,
  core.order_statuses,
  core.payment_statuses,
  core.order_form_fields,
  core.user_groups,
  core.users,
  core.orders,
  core.order_lines,
  core.order_history,
  core.order_versions,
  core.status_versions,
  -- The sums, and the marks of those that are out of date: with them, the views of bi are exact on another PostgreSQL.
  core.daily_sums,
  core.status_paths,
  core.product_months,
  core.customer_sums,
  ops.stale_sums,
  -- Which days are verified: is_verified, bi.unverified_days.
  ops.days;
