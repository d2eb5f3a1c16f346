-- What columns of one name mean in the views of bi: the comments of those of a view on which its file has none of its own.
CREATE OR REPLACE FUNCTION ops.describe_columns(view regclass, own text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  step text;
BEGIN
  FOR step IN
    SELECT format('COMMENT ON COLUMN %s.%I IS %L', a.attrelid::regclass, a.attname, d.meaning)
    FROM (VALUES
      ('shop_id', 'Number of the shop in this warehouse.'),
      ('shop', 'Short name of the shop, as in the settings.'),
      ('customer_key', 'Pseudonym of the buyer, as in bi.orders.'),
      ('created_at', 'When the order was placed. NULL: no readable date.'),
      ('currency', 'Currency of the row''s amounts. NULL: the shop sent none.'),
      ('last_order_date', 'Day of the latest sale in any currency, in the shop''s time zone. NULL: no sale has a readable date.'),
      ('orders', 'Number of sales.'),
      ('history_from', 'As in bi.shops: first day of which orders are loaded; who bought before is unknown. NULL: all orders are loaded.'),
      ('status_code', 'Status code of the order; empty text: the shop''s "no status", or no readable one.'),
      ('status', 'Name of the status: the name that you entered, otherwise English.'),
      ('stage', 'Stage of the order: draft, open, fulfilment, delivered, cancelled, returned, other or unknown; deleted if the shop has deleted it.'),
      ('stage_order', 'For sorting: position in the usual course of an order. NULL: not part of it.'),
      ('is_sale', 'True if the order counts as revenue; deleted ones never do.'),
      ('is_deleted', 'True if the shop has deleted the order.'),
      ('product_oid', 'The shop''s number of the product.'),
      ('product_name', 'Its name in the order with the highest number. NULL: never sent.'),
      ('first_day', 'First day ever to be synchronized, in the shop''s time zone. NULL: no sweep yet.'),
      ('order_id', 'The shop''s order number; unique within a shop.'),
      ('order_date', 'Day the order was placed, in the shop''s time zone. NULL: the shop sent no readable date.'),
      ('pay_status_code', 'Payment status code as the shop sends it; empty text if it sends none.'),
      ('pay_status', 'Name of the payment status: the name that you entered, otherwise English.'),
      ('pay_method', 'Code of the payment method. NULL: not chosen.'),
      ('order_sum', 'Order total. NULL: not sent or not readable.'),
      ('paid_amount', 'Amount paid so far. NULL: not sent or not readable.'),
      ('delivery_id', 'Number of the delivery method in the shop. NULL: none.'),
      ('delivery_name', 'Name of the delivery method. NULL: none.'),
      ('is_guest', 'True if the order has no registered buyer.'),
      ('changed_at', 'When anything of the order last changed here, see bi.orders: keep a copy up to date by that view.'),
      ('order_hour', 'Hour of the day, 0 to 23, in the shop''s time zone. NULL: no readable date.'),
      ('outstanding', 'What the buyer still owes, as in bi.orders. NULL: the total or the amount paid is unknown.'),
      ('revenue', 'Sum of the order totals of the sales.'),
      ('avg_order_value', 'Revenue per sale, over the sales with a known total. NULL: no such sale.'),
      ('is_verified', 'True if the day was verified: see days in bi.unverified_days. NULL: orders without a readable date.'),
      ('lifetime_revenue', 'Sum of the order totals of the sales in the main currency.'),
      ('months_since', 'Calendar months from cohort_month to the month of the row; 0 is the cohort''s own month.')) AS d(name, meaning)
    JOIN pg_attribute a ON a.attrelid = view AND a.attname = d.name AND a.attname <> ALL (own)
  LOOP
    EXECUTE step;
  END LOOP;
END $$;
