-- Rows of ops.rejections that need attention: those that are not resolved, without those of deleted orders.
CREATE OR REPLACE VIEW core.open_rejections AS
SELECT
  r.rejection_id, r.shop_id, r.resource, r.source_key, r.field, r.reason, r.value, r.digest, r.first_seen_at, r.last_seen_at,
  r.seen_count
FROM ops.rejections r
LEFT JOIN core.orders o ON o.shop_id = r.shop_id AND r.resource IN ('order', 'content')
  AND o.order_id = CASE WHEN r.source_key ~ '^[0-9]{1,18}$' THEN r.source_key::bigint END
-- A deleted order stays as it was read last, and needs no attention.
WHERE r.resolved_at IS NULL AND o.deleted_at IS NULL;
