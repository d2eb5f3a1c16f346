-- Whom to call about an open order that is not paid, oldest first. NULL: what is outstanding is unknown, because the order's
-- total is. Needs the role bi_pii_reader.
SELECT
  c.order_id,
  c.buyer_name,
  c.buyer_phone,
  o.outstanding,
  o.currency
FROM bi_pii.order_contacts c
JOIN bi.orders o USING (shop_id, order_id)
WHERE o.stage = 'open' AND NOT o.is_deleted
  AND (o.outstanding > 0 OR o.order_sum IS NULL AND o.pay_status_code <> 'FP')
ORDER BY o.order_date, c.order_id
LIMIT 20; -- the first of them; without this line, all
