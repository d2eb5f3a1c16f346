CREATE OR REPLACE VIEW core.open_rejections AS
SELECT
  r.rejection_id, r.shop_id, r.resource, r.source_key, r.field, r.reason, r.value, r.digest, r.first_seen_at, r.last_seen_at,
  r.seen_count
FROM ops.rejections r
LEFT JOIN core.orders o ON o.shop_id = r.shop_id AND r.resource IN ('order', 'content')
  AND o.order_id = CASE WHEN r.source_key ~ '^[0-9]{1,18}$' THEN r.source_key::bigint END
-- A deleted order stays as it was read last, and needs no attention.
WHERE r.resolved_at IS NULL AND o.deleted_at IS NULL;

COMMENT ON VIEW core.open_rejections IS 'Rows of ops.rejections that need attention: those that are not resolved, without those of deleted orders.';
COMMENT ON COLUMN core.open_rejections.rejection_id IS 'Number of the rejection.';
COMMENT ON COLUMN core.open_rejections.shop_id IS 'Shop that sent the record.';
COMMENT ON COLUMN core.open_rejections.resource IS 'Kind of record: order, content (an order''s lines), user or group.';
COMMENT ON COLUMN core.open_rejections.source_key IS 'The shop''s number or key of the record. NULL: it has none.';
COMMENT ON COLUMN core.open_rejections.field IS 'Field that was not understood. NULL: the whole record.';
COMMENT ON COLUMN core.open_rejections.reason IS 'Why it was not understood.';
COMMENT ON COLUMN core.open_rejections.value IS 'The value if it is a code, number or date, otherwise its shape, such as "text of 17 characters, Cyrillic, one space". NULL: none was sent.';
COMMENT ON COLUMN core.open_rejections.digest IS 'Hash by which a repeated rejection is recognized.';
COMMENT ON COLUMN core.open_rejections.first_seen_at IS 'When it first occurred.';
COMMENT ON COLUMN core.open_rejections.last_seen_at IS 'When it last occurred.';
COMMENT ON COLUMN core.open_rejections.seen_count IS 'How often it occurred.';
