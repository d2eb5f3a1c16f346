-- The one rule of how far back a shop's orders are known. Older ones are left out on purpose, or the first load has not reached them
-- yet: then the first row of the ledger, which stands for all days before it, was never verified.
CREATE OR REPLACE VIEW core.histories AS
SELECT shop_id, max(history_from) AS history_from
FROM (
  SELECT s.shop_id, oldest.day + 1 AS history_from
  FROM core.shops s
  CROSS JOIN LATERAL (
    SELECT day, coalesce(verified_at, last_verified_at) AS verified_at FROM ops.days WHERE shop_id = s.shop_id ORDER BY day LIMIT 1
  ) oldest
  WHERE oldest.verified_at IS NULL
  UNION ALL
  SELECT shop_id, history_from FROM ops.shop_state WHERE history_from IS NOT NULL
) known
GROUP BY shop_id;

COMMENT ON VIEW core.histories IS 'Shops of which older orders may be missing: whose customers may have bought before.';
COMMENT ON COLUMN core.histories.shop_id IS 'Shop of the orders.';
COMMENT ON COLUMN core.histories.history_from IS 'First day of which all orders up to today are loaded, but for single days that are not verified.';
