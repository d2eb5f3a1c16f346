CREATE OR REPLACE VIEW core.customer_cut_totals AS
SELECT * FROM core.customer_cuts c
WHERE NOT EXISTS (SELECT FROM ops.stale_customers s WHERE s.shop_id = c.shop_id)
UNION ALL SELECT * FROM core.customer_cut_recount;

COMMENT ON VIEW core.customer_cut_totals IS 'The values of core.customer_cuts, exact at any time.';
COMMENT ON COLUMN core.customer_cut_totals.shop_id IS 'Shop of the customers.';
COMMENT ON COLUMN core.customer_cut_totals.currency IS 'Currency of their sales. NULL: not sent.';
COMMENT ON COLUMN core.customer_cut_totals.days IS 'The four dates of the latest sale at which a fifth begins.';
COMMENT ON COLUMN core.customer_cut_totals.orders IS 'The four numbers of sales at which a fifth begins, among customers with more than one sale; NULL if there are none.';
COMMENT ON COLUMN core.customer_cut_totals.revenues IS 'The four sums of sales at which a fifth begins.';
