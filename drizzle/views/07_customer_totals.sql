CREATE OR REPLACE VIEW core.customer_totals AS
SELECT * FROM core.customer_sums c
WHERE NOT EXISTS (
  SELECT FROM ops.stale_customers s WHERE s.shop_id = c.shop_id AND s.customer_key = c.customer_key
)
UNION ALL SELECT * FROM core.customer_recount;

COMMENT ON VIEW core.customer_totals IS 'The sums of core.customer_sums, exact at any time.';
COMMENT ON COLUMN core.customer_totals.shop_id IS 'Shop of the sales.';
COMMENT ON COLUMN core.customer_totals.customer_key IS 'Customer, as in core.orders.';
COMMENT ON COLUMN core.customer_totals.currency IS 'Currency of the sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_totals.orders IS 'Number of sales.';
COMMENT ON COLUMN core.customer_totals.revenue IS 'Sum of order_sum. NULL: no sale has one.';
COMMENT ON COLUMN core.customer_totals.priced_orders IS 'Sales that have an order_sum.';
COMMENT ON COLUMN core.customer_totals.first_day IS 'Day of the first sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_totals.last_day IS 'Day of the latest sale. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_totals.new_on IS 'Day of the customer''s first sale in any currency, in the row of that currency. NULL: it was in another currency, or has no readable date.';
COMMENT ON COLUMN core.customer_totals.is_guest IS 'Whether none of the sales has a registered buyer.';
COMMENT ON COLUMN core.customer_totals.buyer_oid IS 'Registered buyer, see core.users. NULL: a guest.';
COMMENT ON COLUMN core.customer_totals.months IS 'First days of the months with a sale, in order. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_totals.month_orders IS 'Number of sales in each of these months. NULL: no sale has a readable date.';
COMMENT ON COLUMN core.customer_totals.month_revenues IS 'Sum of order_sum in each of these months; NULL if no sale has one.';
COMMENT ON COLUMN core.customer_totals.is_main IS 'Whether most of the customer''s sales are in this currency; true in one row of each customer.';
COMMENT ON COLUMN core.customer_totals.is_first IS 'Whether the customer''s first sale is in this currency; true in one row of each customer.';
COMMENT ON COLUMN core.customer_totals.currencies IS 'Number of currencies of the customer''s sales.';
COMMENT ON COLUMN core.customer_totals.all_orders IS 'Sales of the customer in all currencies.';
COMMENT ON COLUMN core.customer_totals.all_first_day IS 'Day of the customer''s first sale in any currency. NULL: none has a readable date.';
COMMENT ON COLUMN core.customer_totals.all_last_day IS 'Day of the customer''s latest sale in any currency. NULL: none has a readable date.';
