-- The ten largest sales of the last week in each currency. Unreadable totals come last.
SELECT currency, rank, order_date, shop, order_id, status, pay_status, order_sum, outstanding
FROM (
  SELECT *, rank() OVER (PARTITION BY currency ORDER BY order_sum DESC NULLS LAST) AS rank
  FROM bi.orders
  WHERE is_sale AND order_date > (SELECT max(order_date) FROM bi.orders) - 7
) ranked
WHERE rank <= 10
ORDER BY currency, rank, order_date, order_id;
