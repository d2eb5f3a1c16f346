-- What one UPDATE of orders means for sums, for later sales of their customers and for past reports, by one comparison of its rows.
-- Whoever changes what daily reports show of an order leaves behind what they showed until then. A customer key that changes though
-- nothing did in the shop, as when guests get other keys, changes in the past too, so that no key remains that was to go. Months are
-- marked where the products that were sold may be others.
--
-- A session keeps the plan of its first call, for however few rows, and of tables that may have been empty. So nothing here may be
-- planned as a loop over pairs of rows: a full join is a hash or a merge, and what is looked up for a row is a subquery of its own, by an index.
SELECT ops.define_follower('follow_orders_update', $sql$
  WITH changed AS MATERIALIZED (
    SELECT shop_id, order_id, o.created_on AS old_day, n.created_on AS new_day, o.customer_key AS old_customer, n.customer_key AS new_customer,
      o.created_at AS old_time, n.created_at AS new_time, o.status_code AS old_status, n.status_code AS new_status,
      o.deleted_at IS NULL AS was_live, n.deleted_at IS NULL AS is_live,
      o.currency, o.order_sum, o.paid_amount, o.units, coalesce(o.stored_at, o.first_seen_at) AS stored_at,
      CASE WHEN n.changed_at > o.changed_at THEN n.changed_at ELSE clock_timestamp() END AS written_at,
      n.observed_at = o.observed_at AS is_reread,
      (o.created_on, o.created_at, o.currency, o.status_code, o.order_sum, o.paid_amount, o.units, o.deleted_at IS NULL,
          CASE WHEN n.observed_at <> o.observed_at THEN o.customer_key END)
        IS DISTINCT FROM (n.created_on, n.created_at, n.currency, n.status_code, n.order_sum, n.paid_amount, n.units, n.deleted_at IS NULL,
          CASE WHEN n.observed_at <> o.observed_at THEN n.customer_key END) AS is_other_report
    FROM old_rows o FULL JOIN written n USING (shop_id, order_id)
    WHERE (o.created_on, o.created_at, o.currency, o.status_code, o.order_sum, o.paid_amount, o.units, o.deleted_at IS NULL,
        o.customer_key, o.is_guest, o.buyer_oid, o.lines_total, o.list_total, o.delivery_price, o.discount_raw, o.discount_percent)
      IS DISTINCT FROM (n.created_on, n.created_at, n.currency, n.status_code, n.order_sum, n.paid_amount, n.units, n.deleted_at IS NULL,
        n.customer_key, n.is_guest, n.buyer_oid, n.lines_total, n.list_total, n.delivery_price, n.discount_raw, n.discount_percent)
  ), sold AS MATERIALIZED (
    SELECT c.*,
      was_live AND (SELECT t.is_sale FROM core.order_statuses t WHERE t.shop_id = c.shop_id AND t.status_code = c.old_status) AS was_sale,
      is_live AND (SELECT t.is_sale FROM core.order_statuses t WHERE t.shop_id = c.shop_id AND t.status_code = c.new_status) AS is_sale
    FROM changed c
  ), marks AS (
    INSERT INTO ops.stale_sums (shop_id, day, month, customer_key)
    SELECT shop_id, day, CASE WHEN is_sold_otherwise THEN date_trunc('month', day::timestamp)::date END, customer
    FROM (
      SELECT *, (old_day, was_live, was_sale) IS DISTINCT FROM (new_day, is_live, is_sale) AS is_sold_otherwise FROM sold
    ) s
    CROSS JOIN LATERAL (SELECT old_day AS day, old_customer AS customer UNION SELECT new_day, new_customer) k
    WHERE customer IS NOT NULL
  ), sales AS (
    SELECT shop_id, order_id, old_time, new_time,
      CASE WHEN was_sale AND old_time IS NOT NULL THEN old_customer END AS old_customer,
      CASE WHEN is_sale AND new_time IS NOT NULL THEN new_customer END AS new_customer
    FROM sold
  ), moved AS (
    SELECT shop_id, order_id, old_customer AS customer, old_time AS at FROM sales
    WHERE old_customer IS NOT NULL AND (old_customer, old_time) IS DISTINCT FROM (new_customer, new_time)
    UNION ALL
    SELECT shop_id, order_id, new_customer, new_time FROM sales
    WHERE new_customer IS NOT NULL AND (old_customer, old_time) IS DISTINCT FROM (new_customer, new_time)
  ), notes AS (
    INSERT INTO ops.view_changes (shop_id, kind, key, since)
    SELECT m.shop_id, 'customer', m.customer, m.at FROM moved m
    WHERE (
      SELECT true FROM core.orders e
      WHERE e.shop_id = m.shop_id AND e.customer_key = m.customer AND e.created_at >= m.at AND e.order_id <> m.order_id LIMIT 1)
  )
  INSERT INTO core.order_versions (shop_id, order_id, valid_until, valid_from, created_on, created_at, currency, status_code,
    customer_key, order_sum, paid_amount, units, is_deleted, is_reread)
  SELECT c.shop_id, c.order_id, c.written_at,
    coalesce((SELECT max(v.valid_until) FROM core.order_versions v WHERE v.shop_id = c.shop_id AND v.order_id = c.order_id), c.stored_at),
    c.old_day, c.old_time, c.currency, c.old_status, CASE WHEN c.is_reread THEN c.new_customer ELSE c.old_customer END,
    c.order_sum, c.paid_amount, c.units, NOT c.was_live, c.is_reread AND c.was_live = c.is_live
  FROM changed c
  WHERE c.old_customer IS NOT NULL AND c.new_customer IS NOT NULL AND c.is_other_report
    AND current_setting('order_sync.versions', true) IS DISTINCT FROM 'none'
  -- Two writes of one moment: what was before the first counts.
  ON CONFLICT DO NOTHING $sql$,
  -- Nothing changed in the shop: the past gets the other keys too.
  $sql$
  WITH rekeyed AS MATERIALIZED (
    SELECT shop_id, order_id, o.customer_key AS old_key, n.customer_key AS new_key
    FROM old_rows o FULL JOIN written n USING (shop_id, order_id)
    WHERE coalesce(n.customer_key <> o.customer_key AND n.observed_at = o.observed_at, false)
      AND current_setting('order_sync.versions', true) IS DISTINCT FROM 'none'
  )
  UPDATE core.order_versions v SET customer_key = r.new_key FROM rekeyed r
  WHERE v.shop_id = r.shop_id AND v.order_id = r.order_id AND v.customer_key = r.old_key $sql$);
