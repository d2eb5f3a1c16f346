-- The other views of bi read this one, so that "sale", "deleted" and the shop's own day are defined once. A filter on
-- order_date reaches core.orders.created_on through them, and the planner drops joins that a query does not need.
CREATE OR REPLACE VIEW bi.orders AS
SELECT
  o.shop_id,
  s.shop_key AS shop,
  o.order_id,
  o.created_on AS order_date,
  o.created_at,
  o.updated_at,
  ops.code_shown(t.shown_code, t.code_no) AS status_code,
  ops.code_shown(t.shown_name, t.code_no) AS status,
  CASE WHEN o.deleted_at IS NULL THEN t.stage ELSE 'deleted' END AS stage,
  t.is_sale AND o.deleted_at IS NULL AS is_sale,
  ops.code_shown(p.shown_code, p.code_no) AS pay_status_code,
  ops.code_shown(p.shown_name, p.code_no) AS pay_status,
  o.color,
  upper(o.currency) AS currency,
  ops.shown_text(o.pay_method) AS pay_method,
  o.order_sum,
  o.paid_amount,
  CASE WHEN o.deleted_at IS NULL THEN coalesce(o.order_sum, 0) - coalesce(o.paid_amount, 0) ELSE 0 END::numeric(14, 2) AS amount_due,
  o.delivery_price,
  ops.shown_text(o.discount_raw) AS discount_raw,
  o.discount_percent,
  o.item_count,
  o.weight,
  o.delivery_id,
  ops.shown_text(o.delivery_name) AS delivery_name,
  o.customer_key,
  o.buyer_oid,
  o.is_guest,
  u.group_oid,
  ops.shown_text(g.name) AS user_group,
  o.lines_state,
  o.missing_since IS NOT NULL AS is_missing,
  o.deleted_at IS NOT NULL AS is_deleted,
  o.changed_at,
  o.first_seen_at,
  o.deleted_at,
  extract(hour FROM o.created_local)::integer AS order_hour,
  extract(isodow FROM o.created_on)::integer AS order_weekday,
  date_trunc('week', o.created_on::timestamp)::date AS order_week,
  date_trunc('month', o.created_on::timestamp)::date AS order_month,
  -- Each of the three is looked up for the rows and columns that a query asks for, and for no others. Statuses are not joined in
  -- there: such a join would first read all orders of the customer, to use one of them.
  CASE WHEN t.is_sale AND o.deleted_at IS NULL AND o.created_at IS NOT NULL THEN (
    SELECT CASE WHEN count(*) <= 1000 THEN count(*) END::integer
    FROM (
      SELECT FROM core.orders e
      WHERE e.shop_id = o.shop_id AND e.customer_key = o.customer_key AND e.deleted_at IS NULL
        AND (e.created_at, e.order_id) <= (o.created_at, o.order_id)
        AND e.status_code = ANY (c.sales)
      -- One account may have all orders of a counter: the number of each must not cost as many reads.
      LIMIT 1001
    ) up_to_it
  ) END AS order_number_of_customer,
  CASE WHEN t.is_sale AND o.deleted_at IS NULL AND o.created_at IS NOT NULL THEN NOT EXISTS (
    SELECT FROM core.orders e
    WHERE e.shop_id = o.shop_id AND e.customer_key = o.customer_key AND e.deleted_at IS NULL
      AND (e.created_at, e.order_id) < (o.created_at, o.order_id)
      AND e.status_code = ANY (c.sales)
  ) END AS is_first_order,
  (
    SELECT CASE WHEN NOT h.is_initial THEN h.observed_at END
    FROM core.order_history h
    WHERE h.shop_id = o.shop_id AND h.order_id = o.order_id
      AND h.status_code = ANY (c.deliveries)
    ORDER BY h.seq LIMIT 1
  ) AS delivered_at,
  o.lines_total,
  o.list_total,
  ops.order_discount(o.discount_raw, o.discount_percent, o.list_total)::numeric(22, 2) AS order_discount,
  CASE
    WHEN o.order_sum + o.paid_amount IS NULL THEN NULL
    WHEN NOT t.is_sale OR o.deleted_at IS NOT NULL OR o.paid_amount >= o.order_sum THEN 0
    ELSE o.order_sum - o.paid_amount
  END::numeric(16, 2) AS outstanding,
  o.units
FROM core.orders o
JOIN core.shops s USING (shop_id)
JOIN core.order_statuses t USING (shop_id, status_code)
JOIN core.payment_statuses p USING (shop_id, pay_status_code)
LEFT JOIN core.users u ON u.shop_id = o.shop_id AND u.user_oid = o.buyer_oid AND NOT o.is_guest
LEFT JOIN core.user_groups g ON g.shop_id = u.shop_id AND g.group_oid = u.group_oid
LEFT JOIN (
  SELECT
    shop_id,
    array_agg(status_code) FILTER (WHERE is_sale) AS sales,
    array_agg(status_code) FILTER (WHERE stage = 'delivered') AS deliveries
  FROM core.order_statuses
  GROUP BY shop_id
) c ON c.shop_id = o.shop_id;

COMMENT ON VIEW bi.orders IS 'One row per order, including cancelled, draft and deleted ones. For sales figures filter on is_sale, and never add up different currencies. Amounts are of the whole order: before you join lines, fields or history to it, add these up per order, or amounts count once for each of them.';
COMMENT ON COLUMN bi.orders.updated_at IS 'Last change, as the shop reports it. NULL: not reported or not readable.';
COMMENT ON COLUMN bi.orders.status_code IS 'Status code as the shop sends it; empty text: the shop''s "no status", or no readable one. A number such as #3: a code of the shop''s own that does not look like a code, until you classify it; see core.order_statuses. (hidden): one that holds a person.';
COMMENT ON COLUMN bi.orders.stage IS 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other, or unknown for a code that nobody has classified yet; deleted if the shop has deleted it, whatever its last status was.';
COMMENT ON COLUMN bi.orders.is_sale IS 'True if the order counts as revenue: its status is marked as a sale, and the shop has not deleted it.';
COMMENT ON COLUMN bi.orders.pay_status_code IS 'Payment status code as the shop sends it; empty text if it sends none. A number, or (hidden): as in status_code.';
COMMENT ON COLUMN bi.orders.color IS 'Colour with which staff marked the order. NULL: none.';
COMMENT ON COLUMN bi.orders.currency IS 'Currency of every amount in the row, in capitals. NULL: not sent.';
COMMENT ON COLUMN bi.orders.order_sum IS 'Order total in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.orders.paid_amount IS 'Amount paid so far, in the order''s currency. NULL: not sent or not readable.';
COMMENT ON COLUMN bi.orders.amount_due IS 'Order total minus the amount paid; negative if overpaid, 0 if the shop has deleted the order. Drafts and cancelled orders have one too: outstanding is what buyers owe. Unknown amounts count as 0: exclude orders whose order_sum is null when you add this up.';
COMMENT ON COLUMN bi.orders.delivery_price IS 'Price of the delivery, in the order''s currency. NULL: not sent.';
COMMENT ON COLUMN bi.orders.discount_raw IS 'Discount on the order as the shop wrote it. NULL: none.';
COMMENT ON COLUMN bi.orders.discount_percent IS 'The discount in percent (12.5 is 12.5 %), if it is one. NULL: none, or not a percentage.';
COMMENT ON COLUMN bi.orders.item_count IS 'Number of items in the order, as the shop counts them: units in one shop, lines in another. units has the units of each. NULL: not sent.';
COMMENT ON COLUMN bi.orders.weight IS 'Weight of the order in the shop''s own unit, which is not documented. NULL: not sent.';
COMMENT ON COLUMN bi.orders.delivery_name IS 'Name of the delivery method. NULL: none, or withheld since it may hold a person, see withheld_texts in bi.data_quality.';
COMMENT ON COLUMN bi.orders.customer_key IS 'Pseudonym of the buyer, to count customers within a shop: u: a registered buyer, g: a guest identified by a hashed contact, o: a guest without contact, whose every order counts as a new customer.';
COMMENT ON COLUMN bi.orders.buyer_oid IS 'The shop''s number of the buyer; all guests share one, so count customers by customer_key. NULL: not sent.';
COMMENT ON COLUMN bi.orders.group_oid IS 'The shop''s number of the registered buyer''s group. NULL: a guest, or the buyer was not fetched yet.';
COMMENT ON COLUMN bi.orders.user_group IS 'Name of the registered buyer''s group today, not at the time of the order. NULL: a guest, or no known group.';
COMMENT ON COLUMN bi.orders.lines_state IS 'Whether the order''s lines are up to date: ok; pending: not fetched yet; failed: the last attempt failed; older lines are kept; doubtful: they contradict the order''s count or sum, though nearly all orders of this shop agree with them. All but ok are retried.';
COMMENT ON COLUMN bi.orders.is_missing IS 'True if the shop''s list no longer contains the order; a second check decides whether it is deleted.';
COMMENT ON COLUMN bi.orders.is_deleted IS 'True if the shop has deleted the order. It stays here, but is not a sale.';
COMMENT ON COLUMN bi.orders.changed_at IS 'When anything that is shown of the order last changed here, whatever the cause: a column, its lines, its history, a deletion or a return from it, what its status means, the name of its buyer''s group, which fields are shown, an earlier sale of its customer. An unchanged order keeps it. What other rows decide moves it shortly after: at once by a command, within a minute where a worker runs. A copy is kept up to date by it: each order that ever was has a row here.';
COMMENT ON COLUMN bi.orders.first_seen_at IS 'When the order was first read from the shop.';
COMMENT ON COLUMN bi.orders.deleted_at IS 'When the shop''s deletion of the order was confirmed. NULL: not deleted.';
COMMENT ON COLUMN bi.orders.order_weekday IS 'Day of the week in the shop''s time zone, 1 for Monday to 7 for Sunday. NULL: no readable date.';
COMMENT ON COLUMN bi.orders.order_week IS 'Monday of the week of order_date. NULL: no readable date.';
COMMENT ON COLUMN bi.orders.order_month IS 'First day of the month of order_date. NULL: no readable date.';
COMMENT ON COLUMN bi.orders.order_number_of_customer IS 'Place of this sale among the customer''s sales in any currency, 1 for the first; of those loaded, see bi.shops.history_from. NULL: not a sale, no readable date, or later than the 1000th.';
COMMENT ON COLUMN bi.orders.is_first_order IS 'True if this is the customer''s first sale in any currency; of those loaded, see bi.shops.history_from. NULL: not a sale, or no readable date.';
COMMENT ON COLUMN bi.orders.delivered_at IS 'When the order was first seen in a status of the stage delivered. NULL: not delivered, or it was already when first read.';
COMMENT ON COLUMN bi.orders.lines_total IS 'Sum of the line totals, after discount and without delivery. NULL: no line, or one without a total.';
COMMENT ON COLUMN bi.orders.list_total IS 'Sum of the line totals before discount. NULL: no line, or one without such a total.';
COMMENT ON COLUMN bi.orders.order_discount IS 'The discount on the whole order as money: a flat one as written, a percentage of list_total; 0 without a discount. Whether it is already in the prices of the lines is up to the shop. NULL: not readable, or list_total is unknown.';
COMMENT ON COLUMN bi.orders.outstanding IS 'What the buyer still owes: order_sum minus paid_amount, 0 if overpaid or not a sale. NULL: one of them is unknown.';
COMMENT ON COLUMN bi.orders.units IS 'Sum of the quantities of the lines. NULL: none are loaded, or a line has none.';
-- What the view used before.
DROP FUNCTION IF EXISTS ops.may_hold_contact(text);
