-- Whom to call about an open order that is not paid. Needs the role bi_pii_reader.
SELECT c.order_id, c.buyer_name, c.buyer_phone, o.amount_due, o.currency
FROM bi_pii.order_contacts c
JOIN bi.orders o USING (shop_id, order_id)
WHERE o.stage = 'open' AND o.amount_due > 0 AND NOT o.is_deleted
ORDER BY o.order_date, c.order_id
LIMIT 20;
