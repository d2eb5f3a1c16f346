-- Adds an entry of the history for every order whose status, payment or sums differ from its current entry, and closes that one. The shop
-- shows the present only, so an entry says when a state was first observed, and before that, until when another was still seen: by
-- the order's last change, or by a reading of its day.
--
-- Where observed_at stays, nothing happened in the shop, and its row is read in another way: the current entry is corrected, and keeps its
-- times. So it is where a hidden code was not stored, and is now.
SELECT ops.define_follower('follow_states_update', $sql$
  WITH changed AS MATERIALIZED (
    SELECT n.*, n.observed_at = o.observed_at AS is_reread, greatest(h.observed_at, o.observed_at, CASE WHEN o.missing_since IS NULL THEN (
        SELECT d.verified_at FROM ops.days d WHERE d.shop_id = o.shop_id AND d.day = o.created_on) END) AS not_before,
      h.seq, h.order_sum AS old_sum, h.paid_amount AS old_paid,
      CASE WHEN h.status_code = '(hidden)' AND (
        SELECT s.shown_code = '(hidden)' FROM core.order_statuses s WHERE s.shop_id = n.shop_id AND s.status_code = n.status_code)
        THEN n.status_code ELSE h.status_code END AS old_status,
      CASE WHEN h.pay_status_code = '(hidden)' AND (
        SELECT s.shown_code = '(hidden)' FROM core.payment_statuses s WHERE s.shop_id = n.shop_id AND s.pay_status_code = n.pay_status_code)
        THEN n.pay_status_code ELSE h.pay_status_code END AS old_payment
    FROM old_rows o FULL JOIN written n USING (shop_id, order_id)
    CROSS JOIN LATERAL (
      SELECT e.* FROM core.order_history e
      WHERE e.shop_id = n.shop_id AND e.order_id = n.order_id AND e.observed_until IS NULL LIMIT 1
    ) h
    WHERE (o.status_code, o.pay_status_code, o.order_sum, o.paid_amount)
      IS DISTINCT FROM (n.status_code, n.pay_status_code, n.order_sum, n.paid_amount)
  ), corrected AS (
    UPDATE core.order_history h
    SET status_code = c.status_code, pay_status_code = c.pay_status_code, order_sum = c.order_sum, paid_amount = c.paid_amount
    FROM changed c
    WHERE h.shop_id = c.shop_id AND h.order_id = c.order_id AND h.seq = c.seq AND c.is_reread
  ), closed AS (
    UPDATE core.order_history h
    SET status_code = c.old_status, pay_status_code = c.old_payment,
      observed_until = CASE WHEN (c.old_status, c.old_payment, c.old_sum, c.old_paid)
        IS DISTINCT FROM (c.status_code, c.pay_status_code, c.order_sum, c.paid_amount) THEN c.observed_at END
    FROM changed c
    WHERE h.shop_id = c.shop_id AND h.order_id = c.order_id AND h.seq = c.seq AND NOT c.is_reread
    RETURNING c.*, h.observed_until
  )
  INSERT INTO core.order_history (shop_id, order_id, seq, status_code, pay_status_code, order_sum, paid_amount, source_updated_at,
    not_before, observed_at, is_initial)
  SELECT shop_id, order_id, seq + 1, status_code, pay_status_code, order_sum, paid_amount, updated_at, not_before, observed_at, false
  FROM closed WHERE observed_until IS NOT NULL $sql$);
