-- What each group at the top of the tree bought, with all groups below it.
SELECT split_part(g.path, ' / ', 1) AS top_group, s.currency, sum(s.orders) AS orders, sum(s.revenue) AS revenue
FROM bi.group_sales s
JOIN bi.user_groups g USING (shop_id, group_oid)
GROUP BY top_group, s.currency
ORDER BY s.currency, revenue DESC;
