-- The orders that changed in the hour before the latest change, and what became of them.
SELECT c.shop, c.order_id, c.changed_at, c.is_deleted, o.status, o.currency, o.order_sum
FROM bi.changed_orders c
JOIN bi.orders o USING (shop_id, order_id)
WHERE c.changed_at > (SELECT max(changed_at) - interval '1 hour' FROM bi.changed_orders)
ORDER BY c.changed_at DESC
LIMIT 20; -- the first of them; without this line, all
