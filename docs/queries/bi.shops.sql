SELECT shop, timezone, currency, first_order_date, last_order_date, orders FROM bi.shops ORDER BY shop;
