-- Main is the currency of most sales; of several, that of the latest sale.
CREATE OR REPLACE VIEW core.customer_recount AS
SELECT
  shop_id, customer_key, currency, orders, revenue, priced_orders, first_day, last_day, new_on, is_guest, buyer_oid, months,
  month_orders, month_revenues,
  row_number() OVER (
    PARTITION BY shop_id, customer_key ORDER BY orders DESC, latest_dated DESC NULLS LAST, latest DESC
  ) = 1 AS is_main,
  is_first,
  count(*) OVER customer AS currencies,
  (sum(orders) OVER customer)::bigint AS all_orders,
  min(first_day) OVER customer AS all_first_day,
  max(last_day) OVER customer AS all_last_day
FROM (
SELECT
  shop_id, customer_key, currency,
  sum(orders)::bigint AS orders,
  sum(revenue) AS revenue,
  sum(priced_orders)::bigint AS priced_orders,
  min(first_day) AS first_day,
  max(last_day) AS last_day,
  min(new_on) AS new_on,
  bool_or(is_first) AS is_first,
  bool_and(is_guest) AS is_guest,
  max(buyer_oid) AS buyer_oid,
  max(latest_dated) AS latest_dated,
  max(latest) AS latest,
  array_agg(month ORDER BY month) FILTER (WHERE month IS NOT NULL) AS months,
  array_agg(orders ORDER BY month) FILTER (WHERE month IS NOT NULL) AS month_orders,
  array_agg(revenue ORDER BY month) FILTER (WHERE month IS NOT NULL) AS month_revenues
FROM (
  SELECT
    shop_id, customer_key, currency,
    date_trunc('month', created_on::timestamp)::date AS month,
    count(*) AS orders,
    sum(order_sum) AS revenue,
    count(order_sum) AS priced_orders,
    min(created_on) AS first_day,
    max(created_on) AS last_day,
    min(created_on) FILTER (WHERE place = 1) AS new_on,
    bool_or(place = 1) AS is_first,
    max(place) FILTER (WHERE created_on IS NOT NULL) AS latest_dated,
    max(place) AS latest,
    bool_and(is_guest) AS is_guest,
    max(buyer_oid) FILTER (WHERE NOT is_guest) AS buyer_oid
  FROM (
    SELECT o.*, row_number() OVER (
      PARTITION BY o.shop_id, o.customer_key ORDER BY o.created_on IS NULL, o.created_at, o.order_id
    ) AS place
    FROM (
      SELECT s.shop_id, s.customer_key, status_code, upper(currency) AS currency, order_sum, created_on, created_at, order_id, is_guest, buyer_oid
      FROM (SELECT DISTINCT shop_id, customer_key FROM ops.stale_sums WHERE customer_key IS NOT NULL) s
      CROSS JOIN LATERAL (
        SELECT status_code, currency, order_sum, created_on, created_at, order_id, is_guest, buyer_oid FROM core.orders
        WHERE shop_id = s.shop_id AND customer_key = s.customer_key AND deleted_at IS NULL
        OFFSET 0
      ) o
    ) o
    JOIN core.order_statuses t USING (shop_id, status_code)
    WHERE t.is_sale
  ) sales
  GROUP BY shop_id, customer_key, currency, date_trunc('month', created_on::timestamp)
) by_month
GROUP BY shop_id, customer_key, currency
) by_currency
WINDOW customer AS (PARTITION BY shop_id, customer_key);
