CREATE OR REPLACE VIEW bi.shops AS
SELECT
  s.shop_id,
  s.shop_key AS shop,
  s.timezone,
  d.currency,
  d.first_order_date,
  d.last_order_date,
  coalesce(d.orders, 0)::bigint AS orders,
  s.created_at AS added_at,
  s.paused_at,
  s.versions_since,
  h.history_from
FROM core.shops s
LEFT JOIN core.histories h ON h.shop_id = s.shop_id
-- Grouped by the key of core.shops, of which the planner knows how many there are. For sums that are grouped by a shop it expects 200,
-- and then compares each row of a report with each product, where a query joins both by the shop.
LEFT JOIN (
  SELECT
    k.shop_id,
    min(u.first_day) AS first_order_date,
    max(u.last_day) AS last_order_date,
    sum(u.orders) AS orders,
    (array_agg(u.currency ORDER BY u.orders DESC, u.last_sale DESC NULLS LAST, u.currency NULLS LAST))[1] AS currency
  FROM core.shops k
  JOIN (
    SELECT
      shop_id, currency, sum(orders) AS orders, min(day) AS first_day, max(day) AS last_day,
      max(day) FILTER (WHERE orders > 0) AS last_sale
    FROM core.daily_totals GROUP BY shop_id, currency
  ) u ON u.shop_id = k.shop_id
  GROUP BY k.shop_id
) d ON d.shop_id = s.shop_id;

COMMENT ON VIEW bi.shops IS 'One row per shop in this warehouse, with or without orders.';
COMMENT ON COLUMN bi.shops.timezone IS 'IANA time zone of the shop; all its dates are in it.';
COMMENT ON COLUMN bi.shops.currency IS 'Currency of most sales; of several with as many, that of the latest day of a sale. NULL: no orders, or mostly without a currency.';
COMMENT ON COLUMN bi.shops.first_order_date IS 'Day of the first order that is not deleted, in the shop''s time zone. NULL: no order has a readable date.';
COMMENT ON COLUMN bi.shops.last_order_date IS 'Day of the latest such order. NULL: no order has a readable date.';
COMMENT ON COLUMN bi.shops.added_at IS 'When the shop was added to this warehouse: from then on its orders are watched.';
COMMENT ON COLUMN bi.shops.paused_at IS 'Since when it is paused, so that nothing new of it comes. NULL: it is synced.';
COMMENT ON COLUMN bi.shops.versions_since IS 'Since when past reports of the shop are recorded: bi.order_versions, bi.daily_sales_asof and bi.daily_sales_changes have nothing earlier. NULL: they are not recorded.';
COMMENT ON COLUMN bi.shops.history_from IS 'First day of which the orders are loaded, by SHOP_HISTORY_FROM or as far as the first load has come. Customers may have bought before: who is new, returning or bought first is not known. NULL: the whole history is loaded.';
