-- Which fields the order form has, how often they are filled in, and how many values are hidden. NULL: hidden fields.
SELECT
  shop,
  field_key,
  max(label) AS label,
  count(*) AS orders,
  count(*) FILTER (WHERE value IS NOT NULL OR is_hidden) AS filled_in,
  count(*) FILTER (WHERE is_hidden) AS hidden
FROM bi.order_fields
WHERE NOT is_deleted
GROUP BY shop, field_key
ORDER BY shop, orders DESC, field_key;
