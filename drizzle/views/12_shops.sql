CREATE OR REPLACE VIEW bi.shops AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  s.timezone,
  c.currency,
  d.first_order_date,
  d.last_order_date,
  coalesce(d.orders, 0)::bigint AS orders,
  s.created_at AS added_at,
  s.paused_at,
  s.versions_since
FROM core.shops s
LEFT JOIN (
  SELECT shop_id, min(day) AS first_order_date, max(day) AS last_order_date, sum(orders) AS orders
  FROM core.daily_totals GROUP BY shop_id
) d ON d.shop_id = s.shop_id
LEFT JOIN (
  SELECT DISTINCT ON (shop_id) shop_id, currency
  FROM (SELECT shop_id, currency, sum(orders) AS orders FROM core.daily_totals GROUP BY shop_id, currency) used
  ORDER BY shop_id, orders DESC, currency NULLS LAST
) c ON c.shop_id = s.shop_id;

COMMENT ON VIEW bi.shops IS 'One row per shop in this warehouse, with or without orders.';
COMMENT ON COLUMN bi.shops.shop_id IS 'Number of the shop in this warehouse.';
COMMENT ON COLUMN bi.shops.shop IS 'Short name of the shop, as in the settings.';
COMMENT ON COLUMN bi.shops.timezone IS 'IANA time zone of the shop; all its dates are in it.';
COMMENT ON COLUMN bi.shops.currency IS 'Currency of most sales. NULL: no orders, or mostly without a currency.';
COMMENT ON COLUMN bi.shops.first_order_date IS 'Day of the first order that is not deleted, in the shop''s time zone. NULL: none with a readable date.';
COMMENT ON COLUMN bi.shops.last_order_date IS 'Day of the latest such order. NULL: none with a readable date.';
COMMENT ON COLUMN bi.shops.orders IS 'Number of sales.';
COMMENT ON COLUMN bi.shops.added_at IS 'When the shop was added to this warehouse.';
COMMENT ON COLUMN bi.shops.paused_at IS 'Since when it is paused, so that nothing new of it comes. NULL: it is synced.';
COMMENT ON COLUMN bi.shops.versions_since IS 'Since when is recorded what the reports said of the shop: bi.order_versions, bi.daily_sales_asof and bi.daily_sales_changes know nothing before. NULL: it is not recorded, as on a Citus.';

SELECT ops.grant_to_reader('bi.shops');
