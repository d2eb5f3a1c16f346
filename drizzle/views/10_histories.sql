-- The one rule of how far back a shop's orders are known. Older ones are left out by a setting, or the first load has not reached
-- them yet: then the first row of the ledger, which stands for all days before it, was never verified.
CREATE OR REPLACE VIEW core.histories AS
SELECT s.shop_id, greatest(p.history_from, (
    SELECT CASE WHEN d.verified_at IS NULL AND d.last_verified_at IS NULL THEN d.day + 1 END
    FROM ops.days d WHERE d.shop_id = s.shop_id ORDER BY d.day LIMIT 1
  )) AS history_from
FROM core.shops s
LEFT JOIN ops.shop_state p ON p.shop_id = s.shop_id
-- Once for each shop, not for each row that is joined.
OFFSET 0;
