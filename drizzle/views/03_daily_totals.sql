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
COMMENT ON COLUMN core.daily_totals.items IS 'Sum of the units of sales. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_totals.customers IS 'Number of distinct customers of the sales.';
COMMENT ON COLUMN core.daily_totals.cancelled_orders IS 'Orders whose stage is cancelled.';
COMMENT ON COLUMN core.daily_totals.returned_orders IS 'Orders whose stage is returned.';
COMMENT ON COLUMN core.daily_totals.draft_orders IS 'Orders whose stage is draft.';
COMMENT ON COLUMN core.daily_totals.other_orders IS 'Other orders that are not sales.';
COMMENT ON COLUMN core.daily_totals.goods IS 'Sum of the line totals of sales. NULL: no sale has them.';
COMMENT ON COLUMN core.daily_totals.line_discount IS 'Sum of the discounts on the lines of sales. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_totals.order_discount IS 'Sum of the discounts on sales as a whole. NULL: of no sale they are known.';
COMMENT ON COLUMN core.daily_totals.delivery IS 'Sum of the delivery prices of sales. NULL: no sale has one.';
COMMENT ON COLUMN core.daily_totals.cancelled IS 'Sum of order_sum of orders whose stage is cancelled. NULL: none has one.';
COMMENT ON COLUMN core.daily_totals.returned IS 'Sum of order_sum of orders whose stage is returned. NULL: none has one.';
