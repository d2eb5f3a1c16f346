-- The totals are exact at any time: stored sums where nothing is marked, and a recount of the rest. The views of bi read them.
CREATE OR REPLACE VIEW core.daily_totals AS
SELECT * FROM core.daily_sums d
WHERE NOT EXISTS (SELECT FROM ops.stale_days s WHERE s.shop_id = d.shop_id AND s.day = d.day)
UNION ALL SELECT * FROM core.daily_recount;

COMMENT ON VIEW core.daily_totals IS 'The sums of core.daily_sums, exact at any time, and those of orders without a day.';
COMMENT ON COLUMN core.daily_totals.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.daily_totals.day IS 'Day on which the orders were placed, in the shop''s time zone.';
COMMENT ON COLUMN core.daily_totals.currency IS 'Currency of the orders. NULL: not sent.';
COMMENT ON COLUMN core.daily_totals.orders IS 'Orders that are sales.';
COMMENT ON COLUMN core.daily_totals.revenue IS 'Sum of order_sum of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_totals.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.daily_totals.paid IS 'Sum of paid_amount of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_totals.items IS 'Sum of item_count of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_totals.customers IS 'Number of distinct customers of the sales.';
COMMENT ON COLUMN core.daily_totals.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_totals.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_totals.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_totals.other_orders IS 'Other orders that are not sales.';
