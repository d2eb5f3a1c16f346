-- How many orders there are of each day that are not deleted, exact at any time: most days are counted already, and of the others each
-- order is a row.
CREATE OR REPLACE VIEW core.order_counts AS
SELECT shop_id, day, orders FROM core.status_paths s
WHERE NOT EXISTS (SELECT FROM ops.stale_sums m WHERE m.shop_id = s.shop_id AND m.day = s.day)
UNION ALL SELECT shop_id, day, 1 FROM core.stale_orders;
